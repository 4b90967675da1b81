export type { MigrationStatus } from './migrate.ts'
export { type DatabaseCare, type DrizzleStorage, drizzleStorage, type StorageOptions } from './storage.ts'
export { StorageError } from './storage-error.ts'
export { createTables, type Tables } from './tables.ts'
