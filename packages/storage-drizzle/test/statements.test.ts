import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { numbered, type Statement, valuesOf } from '../src/connection/statement.ts'
import { openDatabase } from './database.ts'

const { sql } = await openDatabase()

const SOURCES = new URL('../src/', import.meta.url)

/** Every raw statement. */
const STATEMENTS: [string, Statement][] = []
for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.sql.ts')) continue
  const exported: Record<string, unknown> = await import(new URL(file, SOURCES).href)
  for (const [name, value] of Object.entries(exported)) {
    for (const statement of statementsOf(value)) STATEMENTS.push([`${name} of ${file}`, statement])
  }
}

const typeNames = new Map(
  (await sql`select oid::int, typname from pg_type`).map(({ oid, typname }) => [oid, typname]),
)

describe.each(STATEMENTS)('%s', (_, statement) => {
  it('returns the columns it declares', async () => {
    const { columns } = await sql.unsafe(numbered(statement, '"quickquote"').text, []).describe()
    const found = columns.map(({ name, type }) => [name, typeNames.get(type)])
    expect(found).toEqual(Object.entries(statement.columns).map(([name, { type }]) => [name, type]))
  })

  it('has nothing that the line for Knex would take for a parameter', () => {
    expect(numbered(statement, '"quickquote"').text).not.toMatch(/\\|:\d/)
  })
})

it('there are statements', () => {
  expect(STATEMENTS.length).toBeGreaterThan(20)
})

it('parameters are numbered by name, and all are required', () => {
  const made = numbered({ columns: {}, text: '$b $schema $a::int $b $other_1' }, '"s"')
  expect(made).toMatchObject({ text: '$1 "s" $2::int $1 $3', names: ['b', 'a', 'other_1'] })
  expect(valuesOf(made, { a: 1, b: null, other_1: 'x', more: true })).toEqual([null, 1, 'x'])
  expect(() => valuesOf(made, { a: 1, b: null })).toThrow('other_1')
})

/** Also those of a table of statements. */
function statementsOf(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null || 'type' in value) return []
  return isStatement(value) ? [value] : Object.values(value).flatMap(statementsOf)
}

function isStatement(value: object): value is Statement {
  return 'columns' in value && 'text' in value
}
