import { defaultsOf, givenOptions, type OptionsOf, type OptionTable, TIMER } from '@quickquote/core/internal'
import type postgres from 'postgres'
import connectTo from '#driver'
import { parseConnectionString } from './connection-string.ts'
import {
  type Driver,
  LONGEST_HELD_MS,
  repeating,
  setLocal,
  waitingForConnection,
  waitingForLocks,
} from './driver.ts'
import { type Hosts, hostsOf } from './hosts.ts'
import { onPostgresJs } from './postgres-js.ts'

/**
 * Settings that our statements rely on, and that a server, database or role may change. Our own connections set them
 * when they open.
 */
const SESSION_SETTINGS = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  // Rows hidden by a policy are an error.
  row_security: 'off',
  search_path: 'pg_catalog',
  standard_conforming_strings: 'on',
} as const

/** The options of our own connections. */
export const CONNECTION_OPTIONS = {
  // The driver takes 8 KB of memory for each, also for those that it never opens.
  maxConnections: { default: 10, min: 1, max: 10_000 },
  connectTimeoutMs: { default: 5000, ...TIMER },
  poolTimeoutMs: { default: 5000, ...TIMER },
  statementTimeoutMs: { default: 5000, ...TIMER },
  lockTimeoutMs: { default: 3000, ...TIMER },
  idleInTransactionTimeoutMs: { default: 10_000, ...TIMER },
  keepAliveMs: { default: 10_000, ...TIMER, min: 0 },
} as const satisfies OptionTable

export interface ConnectionOptions extends Partial<OptionsOf<typeof CONNECTION_OPTIONS>> {
  readonly connectionString?: string | undefined
  readonly prepare?: boolean
}

/** The connection of our statements. */
export interface Connected {
  readonly driver: Driver
  /** Resolves once it is known to support our statements. Cheap after the first call. */
  ready(): Promise<void>
}

/** Normally the server itself ends slow statements. We only give up on a server that does not respond. */
const UNANSWERED_MS = 500

/** The longest wait before a recovered database is found. */
const LONGEST_BACKOFF_S = 1

/** Startup parameters that PgBouncer also accepts in transaction mode: it sets them on the connection it uses. */
const KEPT_BY_POOLERS = new Set([
  'application_name',
  'DateStyle',
  'TimeZone',
  'options',
  'standard_conforming_strings',
])

/**
 * @throws ConfigurationError for an invalid connection string
 */
export function ownConnections(options: ConnectionOptions): Connected {
  const { prepare = true } = options
  const target = parseConnectionString(options.connectionString)
  const { user, password: pass, database } = target
  const limits = {
    ...defaultsOf(CONNECTION_OPTIONS),
    ...givenOptions({ connectTimeoutMs: target.connectTimeoutMs, keepAliveMs: target.keepAliveMs }),
    ...givenOptions(options),
  }
  const settings = {
    ...SESSION_SETTINGS,
    statement_timeout: String(limits.statementTimeoutMs),
    lock_timeout: String(Math.min(limits.lockTimeoutMs, LONGEST_HELD_MS)),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionTimeoutMs),
  }
  const hosts = hostsOf(target, limits.connectTimeoutMs)
  const sql = connectTo({
    ...givenOptions({ user, pass, database }),
    // For messages only. The driver must know of one host, or it tries the next one in its own way.
    host: [target.hosts.map((host) => ('path' in host ? host.path : host.name)).join(',')],
    port: [target.hosts.map((host) => ('path' in host ? null : host.port))[0]],
    socket: hosts.socket,
    ssl: false,
    target_session_attrs: null,
    max: limits.maxConnections,
    prepare,
    connection: {
      application_name: target.applicationName ?? 'quickquote',
      ...givenOptions({ options: target.options }),
      ...settings,
    },
    // Array types, which none of our statements returns: saves a query per connection.
    fetch_types: false,
    // No pipelining, so that a hanging statement delays no other.
    max_pipeline: 1,
    connect_timeout: limits.connectTimeoutMs / 1000,
    query_timeout: (limits.statementTimeoutMs + UNANSWERED_MS) / 1000,
    keep_alive: limits.keepAliveMs / 1000,
    backoff: (failures: number) =>
      Math.min(0.05 * 2 ** failures, LONGEST_BACKOFF_S) * (0.5 + Math.random() / 2),
    // postgres.js would print notices to the console.
    onnotice() {},
  } as unknown as postgres.Options<Record<string, never>>)
  const mayStopPreparing = options.prepare === undefined
  const { ready, transactionSettings } = lookingFirst(sql, { hosts, settings, mayStopPreparing })
  const driver: Driver = {
    ...onPostgresJs(sql, { prepare, transactionSettings }),
    async end() {
      await sql.end({ timeout: 5 })
      hosts.close()
    },
  }
  const repeats = [
    waitingForConnection(limits.maxConnections, limits.poolTimeoutMs),
    waitingForLocks(limits.lockTimeoutMs),
    hosts.inTurn,
  ]
  return { driver: repeating(driver, repeats), ready }
}

/**
 * Detects, before the first statement, a pooler that shares connections: it keeps no prepared statements and no
 * settings it does not know. In that case nothing is prepared (unless the host insists), and each transaction sets what
 * it needs. Single statements work with any settings except the isolation level, which `checkDatabase` verifies.
 */
function lookingFirst(
  sql: postgres.Sql,
  {
    hosts,
    settings,
    mayStopPreparing,
  }: { hosts: Hosts; settings: Readonly<Record<string, string>>; mayStopPreparing: boolean },
) {
  let look: Promise<void> | undefined
  let isPooled = false

  async function firstLook(): Promise<void> {
    const rows = await hosts
      .inTurn(() => backendPid(sql))
      .catch((error: unknown) => {
        if (!isRefusedParameter(error)) throw error
        const { connection } = sql.options as { connection: Record<string, unknown> }
        for (const name of Object.keys(connection)) if (!KEPT_BY_POOLERS.has(name)) delete connection[name]
        return hosts.inTurn(() => backendPid(sql))
      })
    // A pooler invents the process ids that it reports.
    isPooled = rows.at(-1)?.pid !== rows.state.pid
    if (isPooled && mayStopPreparing) sql.options.prepare = false
  }

  return {
    ready() {
      look ??= firstLook().catch((error: unknown) => {
        look = undefined
        throw error
      })
      return look
    },
    /** At the beginning of each transaction, if the connections themselves cannot keep them. */
    transactionSettings() {
      if (!isPooled) return undefined
      const { default_transaction_isolation: _, ...others } = settings
      return setLocal(others)
    },
  }
}

function backendPid(sql: postgres.Sql) {
  return sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
}

/** PgBouncer: `unsupported startup parameter: lock_timeout`. */
function isRefusedParameter(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message)
}
