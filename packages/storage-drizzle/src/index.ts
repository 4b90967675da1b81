export type { DrizzleTransaction, HostDrizzle } from './connection/host-drizzle.ts'
export {
  type HostTransaction,
  type OtherTransaction,
  type RunInTransaction,
  transactionOf,
} from './connection/host-transaction.ts'
export type { PostgresJsTransaction } from './connection/postgres-js.ts'
export { StorageError } from './connection/storage-error.ts'
export type { MigrationStatus } from './migrations/migrate.ts'
export type { StorageOptions } from './options.ts'
export { createTables, type Tables } from './schema.ts'
export { type DatabaseCare, type DrizzleStorage, drizzleStorage } from './storage.ts'
