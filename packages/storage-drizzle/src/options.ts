import { ConfigurationError } from '@quickquote/core'
import {
  type Completed,
  checkOptionNames,
  completeOptions,
  type OptionTable,
  TIMER,
} from '@quickquote/core/internal'
import type postgres from 'postgres'
import { CONNECTION_OPTIONS } from './connection/connection.ts'
import type { HostDrizzle } from './connection/host-drizzle.ts'
import { checkSchema, DEFAULT_SCHEMA } from './schema-name.ts'

/** A database, or a client of the host, which is never changed. */
export type StorageOptions = (
  | {
      /** `postgres://user:password@host:port/database`. `undefined` (an unset variable) is refused at startup. */
      readonly connectionString: string | undefined
      /** Maximum number of connections. Default 10. */
      readonly maxConnections?: number
      /** Milliseconds to open a connection, per host. Default 5,000, or `connect_timeout` of the connection string. */
      readonly connectTimeoutMs?: number
      /** Milliseconds a statement waits for a free connection. Default 5,000. */
      readonly poolTimeoutMs?: number
      /**
       * Milliseconds for one statement (`statement_timeout`). A connection that does not answer is closed half a second
       * later. Retention has 10 minutes, migrations have no limit. Default 5,000.
       */
      readonly statementTimeoutMs?: number
      /**
       * Milliseconds a call waits for a lock, such as a row that another transaction holds. Meanwhile it gives its
       * connection back (`lock_timeout` is 50 ms) and tries again. Default 3,000.
       */
      readonly lockTimeoutMs?: number
      /** Milliseconds before PostgreSQL ends an idle transaction (`idle_in_transaction_session_timeout`). Default 10,000. */
      readonly idleInTransactionTimeoutMs?: number
      /**
       * Milliseconds without traffic before a TCP keep-alive; 0: never. Default 10,000, or `keepalives_idle` of the
       * connection string.
       */
      readonly keepAliveMs?: number
    }
  | {
      /** Your own postgres.js client, without a `transform`. Never changed or closed. */
      readonly sql: postgres.Sql
    }
  | {
      /** Your own drizzle, on any PostgreSQL driver with transactions. Never changed or closed. */
      readonly db: HostDrizzle
      /**
       * With `db`: lets workers listen for new work on a connection of their own, because drizzle cannot listen. Otherwise
       * they poll (`pollIntervalMs`).
       */
      readonly connectionString?: string | undefined
    }
) & {
  /** The SQL schema, used for our tables only. Lower-case letters, digits and `_`. Default `quickquote`. */
  readonly schema?: string
  /**
   * Uses prepared statements. With a connection string, a pooler turns them off. Pass false if your own client uses
   * PgBouncer in transaction mode. Default true.
   */
  readonly prepare?: boolean
  /**
   * Milliseconds for one storage call; then it fails with a StorageError of status 503. Does not apply within
   * `within(tx)`. Default 6,000.
   */
  readonly callTimeoutMs?: number
  /**
   * Also runs on engines that only resemble PostgreSQL, such as CockroachDB, at your own risk: events may be lost there.
   * Default false.
   */
  readonly anyEngine?: boolean
}

export const OPTIONS = {
  connectionString: {},
  ...CONNECTION_OPTIONS,
  sql: {},
  db: {},
  schema: { default: DEFAULT_SCHEMA, checkInside: (_path, schema: string) => checkSchema(schema) },
  prepare: { default: true },
  callTimeoutMs: { default: 6000, ...TIMER },
  anyEngine: { default: false },
} as const satisfies OptionTable

/**
 * @throws ConfigurationError for an option that is unknown, invalid or conflicts with another
 */
export function checkOptions(options: StorageOptions): Completed<StorageOptions, typeof OPTIONS> {
  const given: Readonly<Record<string, unknown>> = options
  checkOptionNames('drizzleStorage', given, Object.keys(OPTIONS))
  const isGiven = (name: string) => given[name] !== undefined
  const client = (['sql', 'db'] as const).find(isGiven)
  const others = Object.keys(CONNECTION_OPTIONS)
  const other = (client === 'sql' ? ['connectionString', 'db', ...others] : others).find(isGiven)
  if (client !== undefined && other !== undefined) {
    throw new ConfigurationError(
      `drizzleStorage: pass either ${client} (your own client) or a connectionString. ${other} cannot be combined with ${client}.`,
    )
  }
  return completeOptions('drizzleStorage', OPTIONS, options)
}
