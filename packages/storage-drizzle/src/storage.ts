import { ConfigurationError, checkNumber, checkOptionNames, type Storage } from '@quickquote/core'
import postgres from '../vendor/postgres/index.js'
import { apiKeyStorage } from './api-keys.ts'
import { auditStorage } from './audit-log.ts'
import { createDatabase, type Database } from './database.ts'
import { deliveryStorage } from './deliveries.ts'
import { deliveryLogStorage } from './delivery-log.ts'
import { endpointHealthStorage } from './endpoint-health.ts'
import { eventStorage } from './events.ts'
import { fileStorage, uploadStorage } from './files.ts'
import { idempotencyStorage } from './idempotency-keys.ts'
import { type MigrationStatus, migrate, migrationPlan, migrationStatus } from './migrate.ts'
import { MIGRATE_COMMAND } from './migrate-command.ts'
import { ensurePartitions } from './partitions.ts'
import { pipelineStartStorage } from './pipeline-starts.ts'
import { quotationStorage } from './quotations.ts'
import { replayStorage } from './replays.ts'
import { retentionStorage } from './retention.ts'
import { secretStorage } from './signing-secrets.ts'
import { withStorageErrors } from './storage-error.ts'
import { DEFAULT_SCHEMA } from './tables.ts'
import { telemetryStorage } from './telemetry.ts'
import { testDeliveryStorage } from './test-deliveries.ts'
import { createWaker, type Waker } from './wake.ts'
import { webhookEndpointStorage } from './webhook-endpoints.ts'
import { workerStorage } from './workers.ts'

/** Where the database is, or the host's own postgres.js client, which is used and not changed. */
export type StorageOptions = (
  | {
      /** `postgres://user:password@host:port/database`. `undefined`, of a variable that is not set, is refused at boot. */
      readonly connectionString: string | undefined
      /** Connections that are opened at most. Default 10. */
      readonly maxConnections?: number
    }
  | {
      /** Your own postgres.js client: used, never changed, never closed. It may have no `transform`. */
      readonly sql: postgres.Sql
    }
) & {
  /** The SQL schema that holds our tables and nothing else. Lower-case letters, digits and `_`. Default `quickquote`. */
  readonly schema?: string
  /** Prepared statements. Set it to false behind PgBouncer in transaction mode. Default true. */
  readonly prepare?: boolean
}

/** How to look after the database, beside what the rest of the product needs of it. */
export interface DatabaseCare {
  /**
   * Brings the SQL schema up to date: call it when the host starts, or when it is deployed. Does nothing when there is
   * nothing to do, and may run in any number of processes at once.
   * @throws ConfigurationError when a newer version has migrated the database, or a migration was edited after it was applied
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
  const { schema = DEFAULT_SCHEMA, prepare = true } = options
  const sql = connect(options)
  const waker = createWaker({ sql, schema })
  const database = createDatabase({ sql, schema, prepare, wake: waker.wake })
  return {
    ...storageOn(database, { listen: waker.listen, ensurePartitions: () => ensurePartitions(sql, schema) }),
    ...withStorageErrors(careOf(sql, schema)),
    async close() {
      if (ownsClient) await sql.end({ timeout: 5 })
    },
  }
}

/** What is done on connections of its own, also where the rest is bound to a transaction. */
type OnWholeDatabase = Pick<Waker, 'listen'> & Pick<Storage, 'ensurePartitions'>

/** Every part of the storage, on the connections of our own or bound to a transaction. */
function storageOn(database: Database, whole: OnWholeDatabase): Storage {
  return {
    files: fileStorage(database),
    ...withStorageErrors({
      ...apiKeyStorage(database),
      ...auditStorage(database),
      ...quotationStorage(database),
      ...webhookEndpointStorage(database),
      ...secretStorage(database),
      ...endpointHealthStorage(database),
      ...deliveryLogStorage(database),
      ...replayStorage(database),
      ...testDeliveryStorage(database),
      ...eventStorage(database),
      ...deliveryStorage(database),
      ...pipelineStartStorage(database),
      ...workerStorage(database),
      ...telemetryStorage(database),
      ...uploadStorage(database),
      ...idempotencyStorage(database),
      ...retentionStorage(database),
      ...whole,
      transaction: <T>(work: (storage: Storage) => Promise<T>) =>
        database.transaction((transaction) => work(storageOn(transaction, whole))),
    }),
    within: (transaction) => storageOn(database.within(transaction), whole),
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
  const names = ['connectionString', 'maxConnections', 'sql', 'schema', 'prepare']
  checkOptionNames('drizzleStorage', options, names)
  const {
    connectionString,
    maxConnections,
    sql,
    schema,
    prepare = true,
  } = options as Partial<Record<(typeof names)[number], unknown>>
  if (sql !== undefined && (connectionString !== undefined || maxConnections !== undefined)) {
    throw new ConfigurationError(
      'drizzleStorage: pass either sql, a client of your own, or a connectionString with maxConnections.',
    )
  }
  if (maxConnections !== undefined) checkNumber('drizzleStorage: maxConnections', maxConnections, { min: 1 })
  if (typeof prepare !== 'boolean') {
    throw new ConfigurationError('drizzleStorage: prepare must be true or false.')
  }
  if (schema !== undefined) checkSchema(schema)
  return sql === undefined
}

function connect(options: StorageOptions): postgres.Sql {
  if ('sql' in options && options.sql !== undefined) return checkClient(options.sql)
  if (!('connectionString' in options)) throw new ConfigurationError(CONNECTION_STRING_FORM)
  const { connectionString, maxConnections = 10, prepare = true } = options
  if (typeof connectionString !== 'string' || !/^postgres(ql)?:\/\//.test(connectionString)) {
    throw new ConfigurationError(CONNECTION_STRING_FORM)
  }
  try {
    return postgres(connectionString, {
      max: maxConnections,
      prepare,
      connection: { application_name: 'quickquote' },
      // The types of arrays, which no statement of ours gives back: one query less for each connection.
      fetch_types: false,
      connect_timeout: CONNECT_TIMEOUT_S,
      backoff: (failures: number) =>
        Math.min(0.05 * 2 ** failures, LONGEST_BACKOFF_S) * (0.5 + Math.random() / 2),
      // Notices would be printed to the console.
      onnotice() {},
    })
  } catch {
    // The error of the URL parser holds the whole string, password included.
    throw new ConfigurationError(CONNECTION_STRING_FORM)
  }
}

/** A database that does not answer is given up after this time, by whoever waits for it. */
const CONNECT_TIMEOUT_S = 10

/** A database that came back is found again in this time. */
const LONGEST_BACKOFF_S = 1

const CONNECTION_STRING_FORM =
  'connectionString must have the form postgres://user:password@host:port/database (with special characters of the password percent-encoded).'

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

export function checkSchema(schema: unknown): void {
  const isOurs =
    typeof schema === 'string' &&
    /^[a-z_][a-z0-9_]{0,39}$/.test(schema) &&
    !/^(pg_.*|public|information_schema)$/.test(schema)
  if (!isOurs) {
    throw new ConfigurationError(
      'schema must name an SQL schema that holds nothing else: lower-case letters, digits and _, at most 40 characters.',
    )
  }
}
