import type { StatementTimeout } from './statement-timeout.ts'

/**
 * All that the storage asks of whatever talks to PostgreSQL. There are three of them: connections of our own and a host's
 * postgres.js (`postgres-js.ts`), and a host's drizzle (`host-drizzle.ts`).
 */
export interface Driver extends Statements {
  /** Runs `work` in one transaction, whose statements take as long as `timeout` says; by default as long as any. */
  begin<T>(work: (transaction: Statements) => Promise<T>, timeout?: StatementTimeout): Promise<T>
  /**
   * Hears what is sent to a channel, from as soon as it can until it is ended: again when the connection was lost or LISTEN
   * refused, which `onLost` is told once each time. What was sent meanwhile is lost, so `onHeard` is called each time that
   * listening begins. A driver that cannot listen never calls it: workers poll.
   */
  listen(channel: string, onHeard: () => void, onLost: (error: unknown) => void): Listener
  /** Closes connections of our own; those of a host stay as they are. */
  end(): Promise<void>
}

/** Runs statements, each on any connection, or all in one transaction. Parameters are encoded: see `encode`. */
export interface Statements {
  /** The rows as objects. */
  rows(text: string, parameters?: readonly Encoded[]): Promise<Result>
  /** The rows as arrays, in the order of the columns. */
  values(text: string, parameters: readonly Encoded[]): Promise<unknown[][]>
  /** Several statements without parameters, and without an answer. */
  script(text: string): Promise<void>
}

export interface Listener {
  end(): Promise<void>
}

export interface Result {
  readonly rows: Record<string, unknown>[]
  /** Empty when the driver does not tell them. */
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

/**
 * What a raw statement may be given. An array becomes an array of PostgreSQL; null is no element of one, because a session
 * with `array_nulls=off` takes it for the text "null".
 */
export type Parameter = Element | null | readonly Element[]
type Element = string | number | boolean | Date | Uint8Array

export type Encoded = string | number | boolean | Buffer | null

/** Runs one raw statement. Times in the rows are Dates. */
export async function run<Row extends object>(
  statements: Pick<Statements, 'rows'>,
  text: string,
  parameters: readonly Parameter[] = [],
): Promise<Row[]> {
  return decode<Row>(await statements.rows(text, parameters.map(encode)))
}

/**
 * Brings a parameter into a form that every driver passes on unchanged: a host's drizzle may have taken the date
 * serializer out of its postgres.js client, and postgres.js cannot infer the type of most arrays.
 */
export function encode(parameter: Parameter): Encoded {
  if (parameter instanceof Date) return parameter.toISOString()
  if (parameter instanceof Uint8Array) return Buffer.from(parameter)
  if (Array.isArray(parameter)) return `{${parameter.map(encodeElement).join(',')}}`
  return parameter as Encoded
}

function encodeElement(element: Element): string {
  if (element instanceof Uint8Array) return `"\\\\x${Buffer.from(element).toString('hex')}"`
  return `"${String(encode(element)).replace(/["\\]/g, '\\$&')}"`
}

const TIMESTAMPTZ = 1184

/** The rows with their timestamps as Dates: drizzle's adapters leave them as strings. */
function decode<Row>({ rows, columns }: Result): Row[] {
  for (const { name } of columns.filter(({ type }) => type === TIMESTAMPTZ)) {
    for (const row of rows) {
      const value = row[name]
      if (typeof value === 'string') row[name] = new Date(value)
      if (Number.isNaN(Number(row[name])))
        throw new RangeError('The database sent a time that cannot be read.')
    }
  }
  return rows as Row[]
}
