import { readdirSync } from 'node:fs'
import type { AttemptFilter } from '@quickquote/core/internal'
import { ANY_QUOTATION } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { listKeys } from '../src/api-keys/api-keys.sql.ts'
import { numbered, valuesOf } from '../src/connection/run.ts'
import type { Statement } from '../src/connection/statement.ts'
import { listAttempts } from '../src/deliveries/attempt-list.sql.ts'
import { listEntries } from '../src/organizations/audit-log.sql.ts'
import { listQuotations } from '../src/quotations/quotations.sql.ts'
import { openDatabase } from './support/database.ts'
import { ANY_ATTEMPT, ANY_ENTRY } from './support/samples.ts'

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

STATEMENTS.push(
  ['all quotations', listQuotations(ANY_QUOTATION)],
  [
    'quotations, filtered',
    listQuotations({ ...ANY_QUOTATION, status: 'failed', source: 'ui', external_id: '' }),
  ],
)

/** Lists have a statement for each combination of filters. */
const AT = { created_at: new Date(), id: '' }
const ATTEMPTS: Partial<AttemptFilter>[] = [
  { event_id: '', attempts: 'latest' },
  { quotation_ids: [], http_status: { from: 0, to: 0 } },
  { http_status: { from: 500, to: 599 } },
  { http_status: { from: 404, to: 404 } },
  { endpoint_id: '', event_type: '', status: 'succeeded', attempts: 'latest' },
  { endpoint_id: '', status: 'failed', undelivered: 'retrying', since: new Date(), until: new Date() },
]
for (const after of [null, AT]) {
  const more = after === null ? '' : ', later page'
  STATEMENTS.push(
    [`the keys of an owner${more}`, listKeys('', after)],
    [`all keys${more}`, listKeys(null, after)],
    [`the audit log${more}`, listEntries(ANY_ENTRY, after)],
    [
      `the audit log, filtered${more}`,
      listEntries(
        { resource_id: '', action: 'api_key.created', actor_id: '', since: new Date(), until: new Date() },
        after,
      ),
    ],
    [`all attempts${more}`, listAttempts(ANY_ATTEMPT, after)],
    ...ATTEMPTS.map((filter): [string, Statement] => [
      `attempts by ${Object.keys(filter)}${more}`,
      listAttempts({ ...ANY_ATTEMPT, ...filter }, after),
    ]),
  )
}

const typeNames = new Map(
  (await sql`select oid::int, typname from pg_type`).map(({ oid, typname }) => [oid, typname]),
)

describe.each(STATEMENTS)('%s', (_, statement) => {
  it('returns the columns it declares', async () => {
    const { columns, types } = await sql.unsafe(numbered(statement, '"quickquote"').text, []).describe()
    const found = columns.map(({ name, type }) => [name, typeNames.get(type)])
    expect(found).toEqual(Object.entries(statement.columns).map(([name, { type }]) => [name, type]))
    // Clients send bytes in different ways, so they are hex text.
    expect(types.map((type) => typeNames.get(type))).not.toContain('bytea')
    expect(types.map((type) => typeNames.get(type))).not.toContain('_bytea')
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
