import type { Parameter } from './driver.ts'

/**
 * A raw statement: SQL where SQL is the point, in a file of its own beside the code that runs it (`….sql.ts`). It says which
 * columns it returns, and a test asks PostgreSQL whether that is true.
 */
export interface Statement<Columns extends ColumnTypes = ColumnTypes> {
  readonly columns: Columns
  /** For the quoted name of an SQL schema. Parameters are named: `$id`. */
  readonly text: (schema: string) => string
}

export type ColumnTypes = Readonly<Record<string, Column<unknown>>>

/** What a column is for PostgreSQL, and here. */
export interface Column<T> {
  readonly type: string
  readonly [value]?: T
}
declare const value: unique symbol

/** A row of the statement. */
export type Row<Columns extends ColumnTypes> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never
}

/**
 * Statements keep to what reads alike in every session and with every driver: times and bytes are returned as text
 * (readable.ts), columns have names of their own and are no arrays, counts are cast to `int`, JSON goes in as a string with
 * `$name::text::jsonb`, and a parameter is cast where one use of it does not tell its type. What a statement returns that may
 * run in a host's transaction has names of one word, since the host's postgres.js may rename the others.
 */
export function statement<Columns extends ColumnTypes>(
  columns: Columns,
  text: (schema: string) => string,
): Statement<Columns> {
  return { columns, text }
}

const column = <T>(type: string): Column<T> => ({ type })

export const uuid = column<string>('uuid')
export const text = column<string>('text')
export const int = column<number>('int4')
export const smallint = column<number>('int2')
export const bool = column<boolean>('bool')
/** Of the values that a check of the table allows. */
export const oneOf = <T extends string>() => column<T>('text')
export const jsonb = <T>() => column<T>('jsonb')
/** Milliseconds since 1970, as `millisOf` has them. */
export const millis = column<string>('text')

export function nullable<T>({ type }: Column<T>): Column<T | null> {
  return { type }
}

/** By name. What the statement does not name is left out. */
export type Parameters = Readonly<Record<string, Parameter>>

/** A statement as drivers take it: `$1`, `$2` … in the order in which the names come. */
interface Numbered {
  readonly text: string
  readonly names: readonly string[]
}

const written = new WeakMap<Statement, Map<string, Numbered>>()

/** The statement for the quoted name of an SQL schema. It is written once. */
export function numbered(statement: Statement, schema: string): Numbered {
  const bySchema = written.get(statement) ?? new Map<string, Numbered>()
  written.set(statement, bySchema)
  const known = bySchema.get(schema)
  if (known !== undefined) return known
  const names: string[] = []
  const text = statement.text(schema).replace(/\$([a-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const made = { text, names }
  bySchema.set(schema, made)
  return made
}

/** @throws Error for a name that has no value: null would be one */
export function valuesOf({ names }: Numbered, parameters: Parameters): Parameter[] {
  return names.map((name) => {
    const value = parameters[name]
    if (value === undefined)
      throw new Error(`The statement has the parameter ${name}, and no value was given.`)
    return value
  })
}
