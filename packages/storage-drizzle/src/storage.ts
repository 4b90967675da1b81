import {
  ConfigurationError,
  checkNumber,
  checkOptionNames,
  MAX_TIMER_MS,
  type Storage,
} from '@quickquote/core'
import type postgres from 'postgres'
import { clockStorage } from './connection/clock.ts'
import {
  type Client,
  type ConnectionTimeouts,
  DEFAULT_TIMEOUTS,
  openClient,
} from './connection/connection.ts'
import { type Connection, createDatabase, type Database } from './connection/database.ts'
import { checkDatabase } from './connection/database-check.ts'
import { callGuard, type Guard, withStorageErrors } from './connection/storage-error.ts'
import { createWaker, type Waker } from './connection/wake.ts'
import { deliveryStorage } from './deliveries/deliveries.ts'
import { deliveryLogStorage } from './deliveries/delivery-log.ts'
import { eventStorage } from './deliveries/events.ts'
import { replayStorage } from './deliveries/replays.ts'
import { testDeliveryStorage } from './deliveries/test-deliveries.ts'
import { endpointHealthStorage } from './endpoints/endpoint-health.ts'
import { signingSecretStorage } from './endpoints/signing-secrets.ts'
import { webhookEndpointStorage } from './endpoints/webhook-endpoints.ts'
import { type MigrationStatus, migrate, migrationPlan, migrationStatus } from './migrations/migrate.ts'
import { MIGRATE_COMMAND } from './migrations/migrate-command.ts'
import { apiKeyStorage } from './organizations/api-keys.ts'
import { auditStorage } from './organizations/audit-log.ts'
import { fileStorage, uploadStorage } from './quotations/files.ts'
import { pipelineStartStorage } from './quotations/pipeline-starts.ts'
import { quotationStorage } from './quotations/quotations.ts'
import { checkSchema, DEFAULT_SCHEMA } from './schema.ts'
import { retentionStorage } from './workers/retention.ts'
import { telemetryStorage } from './workers/telemetry.ts'
import { workerStorage } from './workers/workers.ts'

/** Where the database is, or the host's own postgres.js client, which is used and not changed. */
export type StorageOptions = (
  | {
      /** `postgres://user:password@host:port/database`. `undefined`, of a variable that is not set, is refused at boot. */
      readonly connectionString: string | undefined
      /** Connections that are opened at most. Default 10. */
      readonly maxConnections?: number
      /** Milliseconds for opening a connection, to each host. Default 5,000, or `connect_timeout` of the connection string. */
      readonly connectTimeoutMs?: number
      /** Milliseconds that a statement waits for a free connection. Default 5,000. */
      readonly poolTimeoutMs?: number
      /**
       * Milliseconds for one statement (`statement_timeout`). Half a second later a connection without an answer is closed.
       * Migrations have no limit, retention has 10 minutes. Default 5,000.
       */
      readonly statementTimeoutMs?: number
      /** Milliseconds that a statement waits for a lock (`lock_timeout`). Default 3,000. */
      readonly lockTimeoutMs?: number
      /** Milliseconds after which PostgreSQL ends a transaction whose process says nothing (`idle_in_transaction_session_timeout`). Default 10,000. */
      readonly idleInTransactionTimeoutMs?: number
      /** Milliseconds without traffic before TCP asks whether the server is there. 0: never. Default 10,000, or `keepalives_idle` of the connection string. */
      readonly keepAliveMs?: number
    }
  | {
      /** Your own postgres.js client: used, never changed, never closed. It may have no `transform`. */
      readonly sql: postgres.Sql
    }
) & {
  /** The SQL schema that holds our tables and nothing else. Lower-case letters, digits and `_`. Default `quickquote`. */
  readonly schema?: string
  /**
   * Prepared statements. With a connection string: true unless it leads to a pooler. Your own client behind PgBouncer in
   * transaction mode needs false. Default true.
   */
  readonly prepare?: boolean
  /**
   * Milliseconds for one call of the storage, whatever hangs; then it fails with a StorageError of status 503. Calls on
   * `within(tx)` wait as long as your transaction does. Default 6,000.
   */
  readonly callTimeoutMs?: number
}

/** How to look after the database, beside what the rest of the product needs of it. */
export interface DatabaseCare {
  /**
   * Brings the SQL schema up to date: call it when the host starts, or when it is deployed. Does nothing when there is
   * nothing to do, and may run in any number of processes at once.
   * @throws ConfigurationError when a newer version has migrated the database, a migration was edited after it was applied,
   * the SQL schema was renamed, the database is not UTF8, row-level security hides our rows, or transactions do not begin
   * as `read committed`
   */
  migrate(): Promise<MigrationStatus>
  /** Tells whether migrations are missing. Throws what `migrate` throws. */
  migrationStatus(): Promise<MigrationStatus>
  /**
   * The SQL that `migrate` would run now, bookkeeping included, for somebody else to apply in one go; null when nothing
   * is missing. Changes nothing. Throws what `migrate` throws.
   */
  migrationPlan(): Promise<string | null>
  /**
   * For a host that migrates when it is deployed, to call when it starts.
   * @throws ConfigurationError when migrations are missing, with the command to run, and what `migrate` throws
   */
  requireMigrated(): Promise<void>
}

/** Everything in PostgreSQL, and the care of the database it is in. */
export interface DrizzleStorage extends Storage, DatabaseCare {}

/**
 * Keeps everything in PostgreSQL. Connects when it is first used.
 * @throws ConfigurationError for an option that is missing or wrong
 */
export function drizzleStorage(options: StorageOptions): DrizzleStorage {
  const ownsClient = checkOptions(options)
  const { schema = DEFAULT_SCHEMA, prepare = true, callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS } = options
  const { sql, ready, transactionSettings } = connect(options)
  const waker = createWaker({ sql, schema })
  const connection: Connection = {
    sql,
    schema,
    prepare,
    wake: waker.wake,
    transactionSettings,
    callTimeoutMs,
  }
  const unlimited: Guard = async (call) => {
    await ready()
    return call()
  }
  const whole = {
    listen: waker.listen,
    retention: withStorageErrors('retention', retentionStorage(connection), unlimited),
  }
  const guard = callGuard(ready, callTimeoutMs)
  const storage = storageOn(createDatabase(connection), whole, guard)
  const { check } = withStorageErrors('database', { check: () => checkDatabase(sql, schema) }, guard)
  let isChecked = false
  return {
    ...storage,
    ...withStorageErrors('database', careOf(sql, schema), unlimited),
    workers: {
      ...storage.workers,
      // The first thing that a worker does.
      async heartbeat(workerId) {
        if (!isChecked) await check()
        isChecked = true
        return storage.workers.heartbeat(workerId)
      },
    },
    async close() {
      await waker.close()
      if (ownsClient) await sql.end({ timeout: 5 })
    },
  }
}

const DEFAULT_CALL_TIMEOUT_MS = 6000

/** What is done on connections of its own, also where the rest is bound to a transaction. */
interface OnWholeDatabase extends Pick<Storage, 'retention'> {
  readonly listen: Waker['listen']
}

/** Every part of the storage, on the connections of our own or bound to a transaction, which waits as long as it does. */
function storageOn(database: Database, { listen, retention }: OnWholeDatabase, guard?: Guard): Storage {
  const part = <T extends object>(noun: string, methods: T) => withStorageErrors(noun, methods, guard)
  const whole = { listen, retention }
  const { transaction } = part('storage', {
    transaction: <T>(work: (storage: Storage) => Promise<T>) =>
      database.transaction((bound) => work(storageOn(bound, whole))),
  })
  return {
    apiKeys: part('apiKeys', apiKeyStorage(database)),
    auditLog: part('auditLog', auditStorage(database)),
    quotations: part('quotations', quotationStorage(database)),
    pipelineStarts: part('pipelineStarts', pipelineStartStorage(database)),
    uploads: part('uploads', uploadStorage(database)),
    files: fileStorage(database, guard),
    webhookEndpoints: part('webhookEndpoints', webhookEndpointStorage(database)),
    signingSecrets: part('signingSecrets', signingSecretStorage(database)),
    endpointHealth: part('endpointHealth', endpointHealthStorage(database)),
    events: part('events', eventStorage(database)),
    deliveries: part('deliveries', deliveryStorage(database)),
    deliveryLog: part('deliveryLog', deliveryLogStorage(database)),
    replays: part('replays', replayStorage(database)),
    testDeliveries: part('testDeliveries', testDeliveryStorage(database)),
    workers: { ...part('workers', workerStorage(database)), listen },
    clock: part('clock', clockStorage(database)),
    telemetry: part('telemetry', telemetryStorage(database)),
    retention,
    transaction,
    within: (given) => storageOn(database.within(given), whole),
    // Bound to a transaction there is nothing to close.
    async close() {},
  }
}

function careOf(sql: postgres.Sql, schema: string): DatabaseCare {
  return {
    migrate: () => migrate(sql, schema),
    migrationStatus: () => migrationStatus(sql, schema),
    migrationPlan: () => migrationPlan(sql, schema),
    async requireMigrated() {
      await checkDatabase(sql, schema)
      const { pending } = await migrationStatus(sql, schema)
      if (pending.length > 0) {
        const option = schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`
        throw new ConfigurationError(
          `The database lacks the migrations ${pending.join(', ')}. With DATABASE_URL set, run ` +
            `\`${MIGRATE_COMMAND}${option}\`, or call \`await storage.migrate()\` first.`,
        )
      }
    },
  }
}

/** @returns whether the connections are ours to close */
function checkOptions(options: StorageOptions): boolean {
  const timeouts = Object.keys(DEFAULT_TIMEOUTS) as (keyof ConnectionTimeouts)[]
  const ofOwnConnections = ['connectionString', 'maxConnections', ...timeouts]
  const names = [...ofOwnConnections, 'sql', 'schema', 'prepare', 'callTimeoutMs']
  checkOptionNames('drizzleStorage', options, names)
  const given = options as Partial<Record<string, unknown>>
  const { maxConnections, sql, schema, prepare = true } = given
  const other = ofOwnConnections.find((name) => given[name] !== undefined)
  if (sql !== undefined && other !== undefined) {
    throw new ConfigurationError(
      `drizzleStorage: pass either sql, a client of your own, or a connectionString. ${other} is of the second.`,
    )
  }
  if (maxConnections !== undefined) checkNumber('drizzleStorage: maxConnections', maxConnections, { min: 1 })
  for (const name of [...timeouts, 'callTimeoutMs']) {
    const min = name === 'keepAliveMs' ? 0 : 1
    if (given[name] !== undefined) {
      checkNumber(`drizzleStorage: ${name}`, given[name], { min, max: MAX_TIMER_MS })
    }
  }
  if (typeof prepare !== 'boolean') {
    throw new ConfigurationError('drizzleStorage: prepare must be true or false.')
  }
  if (schema !== undefined) checkSchema(schema)
  return sql === undefined
}

function connect(options: StorageOptions): Client {
  if ('sql' in options && options.sql !== undefined) {
    return { sql: checkClient(options.sql), ready: async () => {}, transactionSettings: () => undefined }
  }
  return openClient(options as Extract<StorageOptions, { connectionString: unknown }>)
}

function checkClient(sql: postgres.Sql): postgres.Sql {
  if (typeof sql !== 'function' || typeof sql.begin !== 'function') {
    throw new ConfigurationError('sql must be a client of postgres.js: the result of postgres(…).')
  }
  const { column, row, value } = sql.options.transform
  if (column.from || row.from || value.from) {
    throw new ConfigurationError(
      'sql has a `transform`, which would rename our columns and change the JSON that partners sent. ' +
        'Pass a client without one, or a connectionString.',
    )
  }
  return sql
}
