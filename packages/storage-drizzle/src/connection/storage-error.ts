import { ConfigurationError, IntegrationError } from '@quickquote/core'

/** The command in errors about missing migrations. */
export const MIGRATE_COMMAND = 'npx @quickquote/storage-drizzle migrate'

/**
 * A failure of PostgreSQL or its connection. `code` is the SQLSTATE, or the driver's code if there was no response. The
 * message is safe to log: it contains no parameter, row or connection string, and there is no `cause`, because loggers
 * would print it.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: string
  /** The violated constraint, if any. */
  readonly constraint: string | null
  /** The matching HTTP status: 503 if a retry may succeed soon, because the database is down or busy; otherwise 500. */
  readonly statusCode: 500 | 503
  /** Whether the database itself is away, and not this one call refused: one line is logged for all of that time. */
  readonly isOutage: boolean

  constructor(operation: string, fault: DriverError) {
    const code = sqlStateOf(fault) || 'UNKNOWN'
    const isHidden = ROW_SECURITY.has(String(fault.routine))
    const isReadOnly = fault.isOfHost === true && code === READ_ONLY
    const hint = isHidden ? ROW_SECURITY_HINT : isReadOnly ? READ_ONLY_HINT : ''
    super(`${operation}: ${describe(code, fault)}${hint} (${code})`)
    this.code = code
    this.statusCode = (PASSING.test(code) && !isReadOnly) || isHidden ? 503 : 500
    this.isOutage = AWAY.test(code) && !isReadOnly && !isOutOfLocks(fault)
    this.constraint = fault.constraint_name ?? fault.constraint ?? null
  }
}

/**
 * Failed or terminated connections, too many of them, a server that starts, stops or is no longer the primary,
 * conflicting transactions, and timeouts: of a statement (57014), a lock (55P03), a transaction (25P03, 25P04) or a
 * response.
 */
const PASSING =
  /^(08...|53...|57014|57P0[1235]|55P03|25006|25P0[34]|40...|CONNECT.*|ERR_POSTGRES_.*|E[A-Z]{3,})$/

/** Failed or terminated connections, and a server that is full, starts, stops or is no longer the primary. */
const AWAY = /^(08...|53...|57P0[1235]|25006|CONNECT(?!ION_(ENDED|SILENT)).*|ERR_POSTGRES_.*|E[A-Z]{3,})$/

/** The PostgreSQL routines that refuse because of row-level security, in any language. */
const ROW_SECURITY = new Set(['check_enable_rls', 'ExecWithCheckOptions'])
const ROW_SECURITY_HINT =
  '. Row-level security is on for this table: turn it off (alter table … disable row level security), or let the role see ' +
  'all rows (alter role … bypassrls)'

/** On our own connections, the server is no longer the primary; in a transaction of the host, its own mistake. */
const READ_ONLY = '25006'
const READ_ONLY_HINT = '. Begin your transaction without `read only`, on the primary'

/** Errors of drivers: postgres.js has `constraint_name`, pg has `constraint`. */
interface DriverError extends Error {
  code?: unknown
  constraint_name?: string
  constraint?: string
  hint?: unknown
  /** The function in PostgreSQL's source. */
  routine?: unknown
  /** Bun's place for the SQLSTATE. */
  errno?: unknown
  /** In a transaction of the host. */
  isOfHost?: true
}

/** The error of a call that timed out. */
export function unanswered(timeoutMs: number): Error {
  const message = `the database did not respond within ${timeoutMs} ms`
  return Object.assign(new Error(message), { code: 'CONNECTION_UNANSWERED' })
}

/** Raised by the function `refuse_erased` of the migration. */
const ERASING = 'QE001'

/** Whether PostgreSQL rolled a statement back because of what one of its rows says. */
export function isRefusedRow(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === ERASING || /^2[23]/.test(state)
}

/** The error for our callers. Errors that do not come from a database or its driver are unchanged. */
export function toStorageError(operation: string, error: unknown): unknown {
  const fault = unwrap(error)
  // Of a call within a transaction of our own.
  if (fault instanceof StorageError) return fault
  if (sqlStateOf(fault) === ERASING) return new IntegrationError('ORGANIZATION_ERASED')
  // Some clients add the query to an error without a code.
  const isKnown = isDriverError(fault) && (sqlStateOf(fault) !== '' || !isLost(error))
  if (isKnown) return new StorageError(operation, fault)
  return isLost(error) ? new StorageError(operation, LOST) : fault
}

/** Clients report a connection that was lost between two statements in words of their own, without a code. */
const LOST_WORDS =
  /connection (was |has been )?(terminated|closed|ended|lost)|closed the connection|not queryable|client was closed|connection error|pending destroy|was already released/i
const LOST = Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_LOST' })

function isLost(error: unknown): boolean {
  if (error instanceof IntegrationError || error instanceof ConfigurationError) return false
  for (let link = error; link instanceof Error; link = innerOf(link as ClientError)) {
    if (LOST_WORDS.test(link.message)) return true
  }
  return false
}

/** The same error, marked as that of a host's transaction. */
export function ofHost(error: unknown): unknown {
  return sqlStateOf(error) === READ_ONLY ? Object.assign(new Error(messageOf(error)), MARKS) : error
}

const MARKS = { severity: 'ERROR', code: READ_ONLY, isOfHost: true }

function messageOf(error: unknown): string {
  return String(Object(unwrap(error)).message)
}

/** A host's drizzle wraps its driver's error, with the parameters in the message. */
function unwrap(error: unknown): unknown {
  const isWrapped = error instanceof Error && 'params' in error && error.cause !== undefined
  return isWrapped ? unwrap(error.cause) : error
}

/**
 * The error of PostgreSQL in the error of a host's client, without what the client adds: the statement before the
 * message (Knex), its parameters (Sequelize). Other errors are unchanged.
 */
export function faultOfClient(error: unknown): unknown {
  for (let link = error as ClientError | undefined; link instanceof Object; link = innerOf(link)) {
    const { severity, originalCode = severity && sqlStateOf(link), constraint, routine, hint } = link
    if (typeof originalCode !== 'string') continue
    const message = String(link.originalMessage ?? link.message)
    const fields = { severity: 'ERROR', code: originalCode, constraint, routine, hint }
    return Object.assign(new Error(message.split(' - ').pop()), fields)
  }
  return error
}

interface ClientError extends DriverError {
  severity?: string
  original?: ClientError
  cause?: ClientError
  meta?: { driverAdapterError?: ClientError }
  originalCode?: unknown
  originalMessage?: string
}

/** Of Sequelize, Prisma, and others. */
function innerOf({ original, meta, cause }: ClientError): ClientError | undefined {
  return original ?? meta?.driverAdapterError ?? cause
}

/**
 * PostgreSQL's errors have a severity, socket errors a system call; postgres.js and TypeORM add the query to every
 * error, Sequelize the parameters.
 */
function isDriverError(error: unknown): error is DriverError {
  return (
    error instanceof Error &&
    ('severity' in error ||
      'syscall' in error ||
      'query' in error ||
      'parameters' in error ||
      /^(CONNECT|ERR_POSTGRES_)/.test(sqlStateOf(error)))
  )
}

/** The SQLSTATE of an error of a driver or drizzle, or the driver's own code; empty if it has none. */
export function sqlStateOf(error: unknown): string {
  const { code, errno }: DriverError = Object(unwrap(error))
  const isState = typeof errno === 'string' && SQL_STATE.test(errno)
  return isState ? errno : typeof code === 'string' ? code : ''
}

const SQL_STATE = /^[0-9A-Z]{5}$/

/** SQLSTATEs whose messages name tables, columns, roles and limits, but never a value. */
const SAFE = /^(08|23|25|26|28|3D|3F|40|42|53|54|55|57|58)/

/** A missing table, column or schema. */
const NOT_MIGRATED = new Set(['42P01', '42703', '3F000'])

/** The lock table of the whole server is full. */
function isOutOfLocks(fault: DriverError): boolean {
  return sqlStateOf(fault) === '53200' && /max_(locks|pred_locks)_per_transaction/.test(String(fault.hint))
}

function describe(code: string, fault: DriverError): string {
  const { message } = fault
  const isSqlState = SQL_STATE.test(code)
  const isSafe = isSqlState ? SAFE.test(code) : !code.startsWith('ERR_')
  const what = isSafe && message !== '' ? message : 'the database refused the statement'
  if (code === 'CONNECTION_ENDED') return 'the storage, or your client, was closed before this call'
  // The statement was prepared on another connection.
  if (code === '26000') return `${what}. Behind a pooler in transaction mode, set \`prepare: false\``
  if (isOutOfLocks(fault)) {
    return `${what}: a transaction holds a lock for each organization that it writes events to. Emit to fewer in one transaction, or raise max_locks_per_transaction of the server`
  }
  return NOT_MIGRATED.has(code)
    ? `${what}. Has the database been migrated? Run \`${MIGRATE_COMMAND}\` or storage.migrate()`
    : what
}
