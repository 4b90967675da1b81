export { type Certificate, createCertificate } from './certificate.ts'
export { createDatabase, dropDatabase, type TestDatabase, testDatabase } from './database.ts'
export {
  type EmbeddedPostgres,
  POSTGRES_VERSIONS,
  type PostgresVersion,
  type StartPostgresOptions,
  startPostgres,
} from './embedded-postgres.ts'
export { hasPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
export { type Postgres, usePostgres } from './postgres.ts'
export {
  type ReceivedWebhook,
  type Receiver,
  type ReceiverOptions,
  type ReceiverResponse,
  startReceiver,
} from './receiver.ts'
