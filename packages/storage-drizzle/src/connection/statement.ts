import type { Parameter } from './driver.ts'

/**
 * A raw statement, for queries that need SQL, in a `….sql.ts` file next to its code. It declares its columns, and a
 * test compares them with PostgreSQL's.
 */
export interface Statement<Columns extends ColumnTypes = ColumnTypes> {
  readonly columns: Columns
  /** A function of the quoted name of the SQL schema. Parameters are named: `$id`. */
  readonly text: (schema: string) => string
}

export type ColumnTypes = Readonly<Record<string, Column<unknown>>>

/** The type of a column in PostgreSQL, and in TypeScript. */
export interface Column<T> {
  readonly type: string
  readonly [value]?: T
}
declare const value: unique symbol

export type Row<Columns extends ColumnTypes> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never
}

/**
 * Statements must read alike in every session and with every driver: return times and bytes as text (readable.ts), give
 * columns distinct names, return no arrays, cast counts to `int` and `void` to text (Prisma reads no `void`), pass JSON
 * as a string with `$name::text::jsonb`, and cast parameters whose type is not clear from every use. Columns of
 * statements that may run in a host's transaction have one-word names, because the host's postgres.js may rename others.
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
/** For values restricted by a check of the table. */
export const oneOf = <T extends string>() => column<T>('text')
export const jsonb = <T>() => column<T>('jsonb')
/** Milliseconds since 1970, as from `millisOf`. */
export const millis = column<string>('text')

export function nullable<T>({ type }: Column<T>): Column<T | null> {
  return { type }
}

/** By name. Unused ones are dropped. */
export type Parameters = Readonly<Record<string, Parameter>>

/** A statement for drivers: `$1`, `$2` … in the order of the names. */
interface Numbered {
  readonly text: string
  readonly names: readonly string[]
}

const written = new WeakMap<Statement, Map<string, Numbered>>()

/** The statement for the quoted name of an SQL schema. Cached. */
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

/**
 * @throws Error for a name without a value, because it would become null
 */
export function valuesOf({ names }: Numbered, parameters: Parameters): Parameter[] {
  return names.map((name) => {
    const value = parameters[name]
    if (value === undefined)
      throw new Error(`The statement has the parameter ${name}, but no value was given.`)
    return value
  })
}
