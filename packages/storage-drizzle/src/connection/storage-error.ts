import { IntegrationError } from '@quickquote/core'
import { MIGRATE_COMMAND } from '../migrate-command.ts'

/**
 * Something went wrong between us and PostgreSQL. `code` is the SQLSTATE, or the driver's code when no answer came.
 * The message is made for logs: it never holds a parameter, a row or a connection string, and there is no `cause`,
 * because a logger would print that too.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: string
  /** The constraint that was violated, if one was. */
  readonly constraint: string | null
  /** The HTTP status that fits: 503 when the same may work in a little while, since the database is away or too busy; else 500. */
  readonly statusCode: 500 | 503
  /** Whether the database itself is away, and not this one call refused: one line is logged for all of that time. */
  readonly isOutage: boolean

  constructor(operation: string, fault: DriverError) {
    const code = typeof fault.code === 'string' ? fault.code : 'UNKNOWN'
    const isHidden = ROW_SECURITY.has(String(fault.routine))
    super(`${operation}: ${describe(code, fault.message)}${isHidden ? ROW_SECURITY_HINT : ''} (${code})`)
    this.code = code
    this.statusCode = PASSING.test(code) || isHidden ? 503 : 500
    this.isOutage = AWAY.test(code)
    this.constraint = fault.constraint_name ?? fault.constraint ?? null
  }
}

/**
 * Connections that fail or are ended, too many of them, a server that starts, stops or is no longer the primary,
 * transactions that got in each other's way, and whatever took too long: a statement (57014), a lock (55P03), a
 * transaction (25P03, 25P04) or an answer.
 */
const PASSING = /^(08...|53...|57014|57P0[1235]|55P03|25006|25P0[34]|40...|CONNECT.*|E[A-Z]{3,})$/

/** Connections that fail or are ended, and a server that takes no more, starts, stops or is no longer the primary. */
const AWAY = /^(08...|53...|57P0[1235]|25006|CONNECT.*|E[A-Z]{3,})$/

/** The routines of PostgreSQL that refuse for row-level security, whatever the language of its messages. */
const ROW_SECURITY = new Set(['check_enable_rls', 'ExecWithCheckOptions'])
const ROW_SECURITY_HINT =
  '. Row-level security is on for this table: turn it off (alter table … disable row level security), or let the role see ' +
  'all rows (alter role … bypassrls)'

/** What drivers throw: postgres.js says `constraint_name`, pg says `constraint`. */
interface DriverError extends Error {
  code?: unknown
  constraint_name?: string
  constraint?: string
  /** The function of PostgreSQL's source that refused. */
  routine?: unknown
}

/** What a method is called through. */
export type Guard = <T>(call: () => Promise<T>) => Promise<T>

const unguarded: Guard = (call) => call()

/**
 * Calls when the connections are ready. Waits up to `timeoutMs` for them, and as long again for the call. A call that is
 * given up before they are ready is never made.
 */
export function callGuard(ready: () => Promise<void>, timeoutMs: number): Guard {
  return (call) =>
    new Promise((resolve, reject) => {
      let isGivenUp = false
      const timer = setTimeout(() => {
        isGivenUp = true
        // An answer that came while the process itself was busy is read first.
        setImmediate(reject, unanswered(timeoutMs))
      }, timeoutMs)
      ready()
        .then(() => {
          if (isGivenUp) throw unanswered(timeoutMs)
          // A transaction measures from here on, too: neither is over before the other.
          timer.refresh()
          return call()
        })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
}

/** The error of a call that is given up. */
export function unanswered(timeoutMs: number): Error {
  const message = `the database did not answer within ${timeoutMs} ms`
  return Object.assign(new Error(message), { code: 'CONNECTION_UNANSWERED' })
}

/** Lets the methods throw a StorageError wherever a driver or drizzle would throw its own error. Each must be async. */
export function withStorageErrors<T extends object>(noun: string, methods: T, guard: Guard = unguarded): T {
  const guarded = Object.entries(methods).map(([operation, method]) => [
    operation,
    async (...parameters: unknown[]) => {
      try {
        return await guard(async () => method(...parameters))
      } catch (error) {
        throw toStorageError(`${noun}.${operation}`, error)
      }
    },
  ])
  return Object.fromEntries(guarded) as T
}

/** Raised by the function `refuse_erasing` of the migration. */
const ERASING = 'QE001'

/** The error as our callers see it; whatever is no fault of a database or its driver stays as it is. */
export function toStorageError(operation: string, error: unknown): unknown {
  const fault = unwrap(error)
  if (sqlStateOf(fault) === ERASING) return new IntegrationError('ORGANIZATION_ERASED')
  return isDriverError(fault) ? new StorageError(operation, fault) : fault
}

/** drizzle wraps what a driver throws, with the parameters in the message; a host's drizzle and ours each do so. */
function unwrap(error: unknown): unknown {
  const isWrapped = error instanceof Error && 'params' in error && error.cause !== undefined
  return isWrapped ? unwrap(error.cause) : error
}

/** PostgreSQL's errors have a severity, those of sockets a system call; postgres.js adds the query to whatever it throws. */
function isDriverError(error: unknown): error is DriverError {
  return (
    error instanceof Error &&
    ('severity' in error || 'syscall' in error || 'query' in error || /^CONNECT/.test(String(codeOf(error))))
  )
}

/** The SQLSTATE of what a driver or drizzle threw; empty where there is none. */
export function sqlStateOf(error: unknown): string {
  const fault = unwrap(error)
  return fault instanceof Error ? String(codeOf(fault) ?? '') : ''
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined
}

/** Classes of SQLSTATE whose messages name tables, columns, roles and limits, but never a value that was sent. */
const SAFE_CLASSES = new Set([
  '08',
  '23',
  '25',
  '26',
  '28',
  '3D',
  '3F',
  '40',
  '42',
  '53',
  '54',
  '55',
  '57',
  '58',
])

/** A table, a column or the schema is not there. */
const NOT_MIGRATED = new Set(['42P01', '42703', '3F000'])

function describe(code: string, message: string): string {
  const isSqlState = /^[0-9A-Z]{5}$/.test(code)
  const isSafe = isSqlState ? SAFE_CLASSES.has(code.slice(0, 2)) : !code.startsWith('ERR_')
  const what = isSafe && message !== '' ? message : 'the database refused the statement'
  // A statement that was prepared on another connection.
  if (code === '26000') return `${what}. Behind a pooler in transaction mode, set \`prepare: false\``
  return NOT_MIGRATED.has(code)
    ? `${what}. Has the database been migrated? Run \`${MIGRATE_COMMAND}\` or storage.migrate()`
    : what
}
