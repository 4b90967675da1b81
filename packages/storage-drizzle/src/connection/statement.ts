import type { TraceContext } from '@quickquote/core'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * A raw statement, in a `….sql.ts` file next to the code that runs it. It declares its columns, and a test compares them
 * with PostgreSQL's.
 */
export interface Statement<Columns extends ColumnTypes = ColumnTypes> {
  readonly columns: Columns
  /** `$schema` is the quoted name of the SQL schema. Parameters are named: `$id`. */
  readonly text: string
  /** false: one plan would not suit all parameters. Host clients decide for themselves. */
  readonly prepare?: false | undefined
}

/**
 * Statements must read alike in every session and with every driver: return times, bytes, arrays and JSON as text (the
 * columns below do), give columns distinct names, cast counts to `int` and `void` to text (Prisma reads no `void`),
 * pass JSON as a string with `$name::text::jsonb`, bytes as hex with `decode($name::text, 'hex')`, and cast parameters
 * whose type is not clear from every use.
 */
export function statement<Columns extends ColumnTypes>(
  columns: Columns,
  text: string,
  prepare?: false,
): Statement<Columns> {
  return { columns, text, prepare }
}

/**
 * The columns of results. How PostgreSQL sends a `timestamptz` or a `bytea` depends on the session (DateStyle, TimeZone,
 * bytea_output), which may be the host's, and the host's client may rename JSON fields. So times, bytes, arrays and JSON
 * are selected as text that nothing changes.
 */
export type ColumnTypes = Readonly<Record<string, Column<unknown>>>

export interface Column<T> {
  /** Its type in PostgreSQL. */
  readonly type: string
  /** Selects a value of a table in a form that neither the session nor the driver changes. */
  readonly select?: (expression: string) => string
  /** Converts it back. */
  readonly read?: (value: string) => T
  /** Converts a parameter for a table. */
  readonly write?: (parameter: string) => string
  readonly [value]?: T
}
declare const value: unique symbol

export type Row<Columns extends ColumnTypes> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never
}

const column = <T>(type: string): Column<T> => ({ type })

export const uuid = column<string>('uuid')
export const text = column<string>('text')
export const int = column<number>('int4')
export const smallint = column<number>('int2')
export const bool = column<boolean>('bool')
/** For values restricted by a check of the table. */
export const oneOf = <T extends string | null>() => column<T>('text')
/** A `timestamptz`: its text would depend on settings of the session. */
export const time: Column<Date> = { type: 'text', select: millisOf, read: toDate }
/** A `bytea`. */
export const bytes: Column<Uint8Array> = {
  type: 'text',
  select: (expression) => `encode(${expression}, 'hex')`,
  read: (hex) => Buffer.from(hex, 'hex'),
  write: (parameter) => `decode(${parameter}::text, 'hex')`,
}
/** A `json` or `jsonb`: a host's client may rename its fields. */
export const json = <T>(): Column<T> => ({
  type: 'text',
  select: (expression) => `(${expression})::text`,
  read: JSON.parse,
  write: (parameter) => `${parameter}::text::jsonb`,
})
/** An array. */
export const list = <T>(): Column<T[]> => ({
  type: 'text',
  select: (expression) => `to_json(${expression})::text`,
  read: JSON.parse,
})

export function nullable<T>(column: Column<T>): Column<T | null> {
  return column
}

/**
 * Milliseconds since 1970. An SQL expression; `time` reads it. Immutable, unlike `extract` of a time, because some engines
 * allow no other in `returning`.
 */
export function millisOf(expression: string): string {
  return `(extract(epoch from ${expression} - timestamptz 'epoch') * 1000)::bigint::text`
}

/**
 * @throws RangeError for an invalid time: comparisons with it would always be false
 */
function toDate(millis: string): Date {
  const date = new Date(Number(millis))
  if (Number.isNaN(date.getTime())) throw new RangeError('The database returned an unreadable time.')
  return date
}

const BY_TYPE: Readonly<Record<string, Column<unknown>>> = {
  uuid,
  text,
  integer: int,
  smallint,
  boolean: bool,
  bytea: bytes,
  jsonb: json(),
  'text[]': list(),
}

/** Columns of a table of `schema.ts`: all, or those with these names. */
export function columnsOf<Table extends PgTable, Name extends string & keyof Table['$inferSelect']>(
  table: Table,
  ...names: readonly (readonly Name[])[]
): { readonly [Each in Name]: Column<Table['$inferSelect'][Each]> } {
  const wanted: readonly string[] = names.flat()
  const columns = Object.entries(getTableColumns(table)).filter(
    ([name]) => wanted.length === 0 || wanted.includes(name),
  )
  return Object.fromEntries(
    columns.map(([name, column]) => {
      const type = column.getSQLType()
      const known = type.startsWith('timestamp') ? time : BY_TYPE[type]
      if (known === undefined) throw new Error(`No statement reads a column of the type ${type}.`)
      return [name, known]
    }),
  ) as ReturnType<typeof columnsOf<Table, Name>>
}

/** The list of a `select` or `returning`: columns of a table by their names. */
export function selected(columns: ColumnTypes, table?: string): string {
  return Object.entries(columns)
    .map(([name, { select }]) => {
      const expression = table === undefined ? name : `${table}.${name}`
      return select === undefined ? expression : `${select(expression)} as ${name}`
    })
    .join(', ')
}

/** Inserts the parameters with the names of these columns. A condition can follow. */
export function insertion(table: PgTable, columns: ColumnTypes): string {
  const values = Object.entries(columns).map(([name, { write }]) => write?.(`$${name}`) ?? `$${name}`)
  return `insert into $schema.${getTableName(table)} (${Object.keys(columns).join(', ')}) select ${values.join(', ')}`
}

/** The trace of a row. */
export function traceOf(row: {
  readonly traceparent: string | null
  readonly tracestate: string | null
}): TraceContext | null {
  const { traceparent, tracestate } = row
  return traceparent === null ? null : { traceparent, tracestate }
}
