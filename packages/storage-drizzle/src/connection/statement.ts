import { encode, type Parameter, type Statements } from './driver.ts'
import { millisOf, toDate } from './readable.ts'

/**
 * A raw statement, for queries that need SQL, in a `….sql.ts` file next to its code. It declares its columns, and a
 * test compares them with PostgreSQL's.
 */
export interface Statement<Columns extends ColumnTypes = ColumnTypes> {
  readonly columns: Columns
  /** `$schema` is the quoted name of the SQL schema. Parameters are named: `$id`. */
  readonly text: string
}

export type ColumnTypes = Readonly<Record<string, Column<unknown>>>

/** A column of a result. */
export interface Column<T> {
  /** Its type in PostgreSQL. */
  readonly type: string
  /** Selects a value of a table in a form that neither the session nor the driver changes. */
  readonly select?: (expression: string) => string
  /** Converts it back. */
  readonly read?: (value: string) => T
  readonly [value]?: T
}
declare const value: unique symbol

export type Row<Columns extends ColumnTypes> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never
}

/**
 * Statements must read alike in every session and with every driver: return times, bytes, arrays and JSON as text (the
 * columns below do), give columns distinct names, cast counts to `int` and `void` to text (Prisma reads no `void`), pass
 * JSON as a string with `$name::text::jsonb`, and cast parameters whose type is not clear from every use.
 */
export function statement<Columns extends ColumnTypes>(columns: Columns, text: string): Statement<Columns> {
  return { columns, text }
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
}
/** A `json` or `jsonb`: a host's client may rename its fields. */
export const json = <T>(): Column<T> => ({
  type: 'text',
  select: (expression) => `(${expression})::text`,
  read: JSON.parse,
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

/** The list of a `select` or `returning`: columns of a table by their names. */
export function selected(columns: ColumnTypes, table?: string): string {
  return Object.entries(columns)
    .map(([name, { select }]) => {
      const expression = table === undefined ? name : `${table}.${name}`
      return `${select?.(expression) ?? expression} as ${name}`
    })
    .join(', ')
}

/** By name. Unused ones are dropped. */
export type Parameters = Readonly<Record<string, Parameter>>

/** Names the SQL schema in a text with `$schema`. */
export function inSchema(text: string, schema: string): string {
  return text.replaceAll('$schema', schema)
}

/** A statement for drivers: `$1`, `$2` … in the order of the names. */
interface Numbered {
  readonly text: string
  readonly names: readonly string[]
  readonly columns: readonly (readonly [string, Column<unknown>])[]
}

const written = new WeakMap<Statement, Map<string, Numbered>>()

/** The statement for the quoted name of an SQL schema. Cached. */
export function numbered(statement: Statement, schema: string): Numbered {
  const bySchema = written.get(statement) ?? new Map<string, Numbered>()
  written.set(statement, bySchema)
  const known = bySchema.get(schema)
  if (known !== undefined) return known
  const names: string[] = []
  const text = inSchema(statement.text, schema).replace(/\$([a-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const made = { text, names, columns: Object.entries(statement.columns) }
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

/** Runs a statement with named parameters. `schema`: the quoted name of the SQL schema. */
export async function run<Columns extends ColumnTypes>(
  statements: Pick<Statements, 'values'>,
  schema: string,
  statement: Statement<Columns>,
  parameters: Parameters = {},
): Promise<Row<Columns>[]> {
  const made = numbered(statement, schema)
  const rows = await statements.values(made.text, valuesOf(made, parameters).map(encode))
  return rows.map((row) => rowOf(made, row) as Row<Columns>)
}

/** By position: a host's client may rename columns. */
function rowOf({ columns }: Numbered, values: readonly unknown[]): object {
  const row: Record<string, unknown> = {}
  for (const [index, [name, { read }]] of columns.entries()) {
    const value = values[index]
    row[name] = value === null || read === undefined ? value : read(value as string)
  }
  return row
}
