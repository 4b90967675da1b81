import { setTimeout as sleep } from 'node:timers/promises'
import { sqlStateOf } from './storage-error.ts'

/**
 * The storage's interface to PostgreSQL clients: our own connections and a host's postgres.js (`postgres-js.ts`), and a
 * host's drizzle (`host-drizzle.ts`).
 */
export interface Driver extends Statements {
  /** Runs `work` in one transaction with the given statement timeout, or the default one. */
  begin<T>(work: (transaction: Statements) => Promise<T>, timeout?: StatementTimeout): Promise<T>
  /**
   * Listens to a channel as soon as it can until it is ended, and again after losing the connection or a refused
   * LISTEN; each loss is reported to `onLost` once. Notifications sent meanwhile are lost, so `onHeard` is also called
   * whenever listening begins, with an empty payload. A driver that cannot listen never calls it: workers poll.
   */
  listen(channel: string, hearing: Hearing): Listener
  /** Closes our own connections, not a host's. */
  end(): Promise<void>
}

/** Runs statements on any connection, or all in one transaction. Parameters are encoded: see `encode`. */
export interface Statements {
  /**
   * Rows as arrays, in the order of the columns.
   * @param names of the columns, for clients that return objects
   * @param prepare false: planned for its parameters, each time. Default: as the connection does
   */
  values(
    text: string,
    parameters: readonly Encoded[],
    names: readonly string[],
    prepare?: false,
  ): Promise<unknown[][]>
  /** One statement without parameters and results. */
  script(text: string): Promise<void>
}

/** Runs something once, or again after certain errors. */
export type Repeat = <T>(run: () => Promise<T>) => Promise<T>

/** The same driver, with each statement and each transaction repeated by all of these, the first innermost. */
export function repeating(driver: Driver, repeats: readonly Repeat[]): Driver {
  const repeat = <T>(run: () => Promise<T>): Promise<T> =>
    repeats.reduce<() => Promise<T>>((inner, each) => () => each(inner), run)()
  return {
    ...driver,
    values: (...statement) => repeat(() => driver.values(...statement)),
    script: (text) => repeat(() => driver.script(text)),
    begin: (work, timeout) => repeat(() => driver.begin(work, timeout)),
  }
}

export interface Listener {
  end(): Promise<void>
}

export interface Hearing {
  readonly onHeard: (payload: string) => void
  readonly onLost?: (error: unknown) => void
  /** A lock for as long as the connection lasts. `onChange`: whether it is held. */
  readonly lock?: { readonly name: string; readonly onChange: (isHeld: boolean) => void }
}

/**
 * A parameter of a raw statement. An array becomes a PostgreSQL array, without null elements: a session with
 * `array_nulls=off` reads them as the text "null".
 */
export type Parameter = Element | null | readonly Element[]
type Element = string | number | boolean | Date | Uint8Array

export type Encoded = string | number | boolean | null

/**
 * Encodes a parameter so that every driver passes it on unchanged: a host's drizzle may have removed the date
 * serializer of its postgres.js client, postgres.js cannot infer the type of most arrays, and pg-native sends bytes as
 * text. So bytes become hex.
 */
export function encode(parameter: Parameter): Encoded {
  if (typeof parameter !== 'object' || parameter === null) return parameter
  if (parameter instanceof Date) return parameter.toISOString()
  if (parameter instanceof Uint8Array) return Buffer.from(parameter).toString('hex')
  return `{${parameter.map(encodeElement).join(',')}}`
}

function encodeElement(element: Element): string {
  return `"${String(encode(element)).replace(/["\\]/g, '\\$&')}"`
}

/** The timeout of each statement in a transaction that serves no request. */
export interface StatementTimeout {
  /** The beginning of the transaction. */
  readonly settings: string
  /** Seconds that our own driver waits for each result; 0: forever. A host's driver always waits. */
  readonly seconds: number
}

/** Without a limit. */
export const MIGRATION: StatementTimeout = statementTimeout(0)

/** For maintenance such as retention: 10 minutes per statement. */
export const MAINTENANCE: StatementTimeout = statementTimeout(10 * 60)

/** Sets them until the transaction ends, in one statement. */
export function setLocal(settings: Readonly<Record<string, string>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${calls.join(', ')}`
}

function statementTimeout(seconds: number): StatementTimeout {
  return {
    // A process that is frozen before the commit keeps its locks no longer than our other processes.
    settings: setLocal({ statement_timeout: `${seconds}s`, lock_timeout: `${seconds}s` }),
    seconds,
  }
}

/** The `lock_timeout` of our connections: the longest that a statement keeps one while it waits for a lock. */
export const LONGEST_HELD_MS = 50

/** The wait before the next try. It doubles up to the longest. */
const PAUSE_MS = { first: 50, longest: 400 }

/**
 * Waits for locks without a connection, for up to `lockTimeoutMs`: a statement that does not get one soon fails, its
 * transaction is rolled back, and runs again after a pause. Otherwise a few callers of one locked row would take all
 * connections.
 */
export function waitingForLocks(lockTimeoutMs: number): Repeat {
  return async (run) => {
    const end = performance.now() + lockTimeoutMs
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
      try {
        return await run()
      } catch (error) {
        const leftMs = end - performance.now()
        if (sqlStateOf(error) !== '55P03' || leftMs <= 0) throw error
        await sleep(Math.min(leftMs, pauseMs * (0.5 + Math.random() / 2)))
      }
    }
  }
}

/**
 * Runs as many at once as there are connections. Others wait up to `timeoutMs` for one: in the driver they would wait
 * forever.
 */
export function waitingForConnection(connections: number, timeoutMs: number): Repeat {
  let free = connections
  const waiting = new Set<() => void>()

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve()
      }
      const giveUp = () => {
        if (!waiting.delete(begin)) return
        const error = new Error(`no connection was free within ${timeoutMs} ms`)
        reject(Object.assign(error, { code: 'CONNECTION_POOL_TIMEOUT' }))
      }
      // Answers that came while the process itself was busy are read first: they may free one.
      const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
      waiting.add(begin)
    })

  return async (run) => {
    if (free > 0) free -= 1
    else await turn()
    try {
      return await run()
    } finally {
      const [next] = waiting
      if (next === undefined) free += 1
      else next()
    }
  }
}
