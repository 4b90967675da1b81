export { StorageError } from './connection/storage-error.ts'
export type { MigrationStatus } from './migrations/migrate.ts'
export { createTables, type Tables } from './schema.ts'
export { type DatabaseCare, type DrizzleStorage, drizzleStorage, type StorageOptions } from './storage.ts'
