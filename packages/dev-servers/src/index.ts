export {
  type Certificate,
  createCertificate,
  type ReceivedWebhook,
  type Receiver,
  type ReceiverOptions,
  type ReceiverResponse,
  startReceiver,
} from '@quickquote/test-kit'
export { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from './connect-proxy.ts'
export { createDatabase, dropDatabase, type Postgres, type TestDatabase, testDatabase } from './database.ts'
export { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
export {
  type EmbeddedPostgres,
  POSTGRES_VERSIONS,
  type PostgresVersion,
  type StartPostgresOptions,
  startPostgres,
} from './embedded-postgres.ts'
export { freePort } from './free-port.ts'
export { installed } from './installed.ts'
export { listens } from './listens.ts'
export { type LossyProxy, lossyProxy } from './lossy-proxy.ts'
export { hasNginx, type Nginx, startNginx } from './nginx.ts'
export { hasPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
export { usePostgres } from './postgres.ts'
export { hasRedis, type RedisServer, startRedis } from './redis.ts'
export { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts'
export { scratchFolder } from './scratch-folder.ts'
export { sendSignal } from './send-signal.ts'
