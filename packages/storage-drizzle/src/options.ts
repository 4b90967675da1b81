import { ConfigurationError } from '@quickquote/core'
import { checkNumber, checkOptionNames, MAX_TIMER_MS } from '@quickquote/core/internal'
import type postgres from 'postgres'
import { type ConnectionTimeouts, DEFAULT_TIMEOUTS } from './connection/connection.ts'
import type { HostDrizzle } from './connection/host-drizzle.ts'
import { checkSchema } from './schema-name.ts'

/** Where the database is, or a client of the host, which is used and not changed. */
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
  | {
      /** Your own drizzle, on any driver of PostgreSQL that has transactions: used, never changed, never closed. */
      readonly db: HostDrizzle
      /**
       * Beside `db`: where workers listen for new work, on one connection of their own, for drizzle cannot. Without it they find work when they
       * poll (`pollIntervalMs` of the worker).
       */
      readonly connectionString?: string | undefined
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

/** @throws ConfigurationError for an option that is unknown, wrong, or does not go with another */
export function checkOptions(options: StorageOptions): void {
  const timeouts = Object.keys(DEFAULT_TIMEOUTS) as (keyof ConnectionTimeouts)[]
  const ofOwnConnections = ['maxConnections', ...timeouts]
  const names = ['connectionString', ...ofOwnConnections, 'sql', 'db', 'schema', 'prepare', 'callTimeoutMs']
  checkOptionNames('drizzleStorage', options, names)
  const given = options as Partial<Record<string, unknown>>
  const isGiven = (name: string) => given[name] !== undefined
  const { maxConnections, schema, prepare = true } = given
  const client = ['sql', 'db'].find(isGiven)
  const other = [...(client === 'sql' ? ['connectionString', 'db'] : []), ...ofOwnConnections].find(isGiven)
  if (client !== undefined && other !== undefined) {
    throw new ConfigurationError(
      `drizzleStorage: pass either ${client}, a client of your own, or a connectionString. ${other} does not go with ${client}.`,
    )
  }
  if (maxConnections !== undefined) checkNumber('drizzleStorage: maxConnections', maxConnections, { min: 1 })
  for (const name of [...timeouts, 'callTimeoutMs']) {
    const min = name === 'keepAliveMs' ? 0 : 1
    if (isGiven(name)) checkNumber(`drizzleStorage: ${name}`, given[name], { min, max: MAX_TIMER_MS })
  }
  if (typeof prepare !== 'boolean') {
    throw new ConfigurationError('drizzleStorage: prepare must be true or false.')
  }
  if (schema !== undefined) checkSchema(schema)
}
