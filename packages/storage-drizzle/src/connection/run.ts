import assert from 'node:assert/strict'
import { ConfigurationError } from '@quickquote/core'
import { type Encoded, encode, type Parameter, type Statements } from './driver.ts'
import type { Column, ColumnTypes, Row, Statement } from './statement.ts'

/** By name. Unused ones are dropped. */
export type Parameters = Readonly<Record<string, Parameter>>

/** A statement for drivers: `$1`, `$2` … in the order of the names. */
interface Numbered {
  readonly text: string
  /** Of the parameters. */
  readonly names: readonly string[]
  readonly columns: readonly (readonly [string, Column<unknown>])[]
  readonly columnNames: readonly string[]
  /** A row of nulls. To copy it is faster than to add its fields one by one. */
  readonly nulls: Readonly<Record<string, unknown>>
}

/** By schema and text: each call of a list makes a statement of its own. */
const written = new Map<string, Map<string, Numbered>>()

/** More than all statements of a schema, but filters of a list combine to thousands. */
const MOST_WRITTEN = 1000

/** The statement for the quoted name of an SQL schema. Cached. */
export function numbered(statement: Statement, schema: string): Numbered {
  const ofSchema = written.get(schema) ?? new Map<string, Numbered>()
  written.set(schema, ofSchema)
  const known = ofSchema.get(statement.text)
  if (known !== undefined) return known
  const names: string[] = []
  const text = statement.text.replaceAll('$schema', schema).replace(/\$([a-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const columns = Object.entries(statement.columns)
  const columnNames = Object.keys(statement.columns)
  const nulls = Object.fromEntries(columnNames.map((name) => [name, null]))
  const made = { text, names, columns, columnNames, nulls }
  if (ofSchema.size >= MOST_WRITTEN) ofSchema.clear()
  ofSchema.set(statement.text, made)
  return made
}

/**
 * @throws Error for a name without a value, because it would become null
 */
export function valuesOf({ names }: Numbered, parameters: Parameters): Encoded[] {
  return names.map((name) => {
    const value = parameters[name]
    if (value === undefined)
      throw new Error(`The statement has the parameter ${name}, but no value was given.`)
    return encode(value)
  })
}

/** Runs statements of `….sql.ts` files with named parameters. */
export interface Runner {
  run<Columns extends ColumnTypes>(
    statement: Statement<Columns>,
    parameters?: Parameters,
  ): Promise<Row<Columns>[]>
  /** For a statement that always returns one row. */
  one<Columns extends ColumnTypes>(
    statement: Statement<Columns>,
    parameters?: Parameters,
  ): Promise<Row<Columns>>
}

/** @param schema the quoted name of the SQL schema */
export function runnerOn(statements: Pick<Statements, 'values'>, schema: string): Runner {
  async function run<Columns extends ColumnTypes>(
    statement: Statement<Columns>,
    parameters: Parameters = {},
  ) {
    const made = numbered(statement, schema)
    const values = valuesOf(made, parameters)
    const rows = await statements.values(made.text, values, made.columnNames, statement.prepare)
    return rows.map((row) => rowOf(made, row) as Row<Columns>)
  }
  return {
    run,
    async one(statement, parameters) {
      const [row] = await run(statement, parameters)
      assert(row !== undefined)
      return row
    },
  }
}

function rowOf({ columns, nulls }: Numbered, values: readonly unknown[]): object {
  const row = { ...nulls }
  columns.forEach(([name, { type, read }], index) => {
    const value = values[index]
    // A host's client may turn null into undefined.
    if (value === null || value === undefined) return
    if (typeof value !== JAVASCRIPT[type]) throw changedByClient(name, type, value)
    row[name] = read === undefined ? value : read(value as string)
  })
  return row
}

/** How each type that statements return is read. */
const JAVASCRIPT: Readonly<Record<string, string>> = {
  text: 'string',
  uuid: 'string',
  int4: 'number',
  int2: 'number',
  bool: 'boolean',
}

function changedByClient(name: string, type: string, value: unknown): Error {
  return new ConfigurationError(
    `The database client changed the column ${name}: PostgreSQL sent ${type}, it returned ${typeof value}. ` +
      'Run our statements without its plugins and type parsers (Kysely: trx.withoutPlugins()).',
  )
}
