import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimStatement, FIRST_UUID, SETTINGS, settleStatement } from '../src/delivery-statements.ts'
import { claimOf, type Outbox, openOutbox } from './delivery-samples.ts'

const SCHEMA = '"quickquote"'
const LIMIT = 100
const TABLES = /^(deliveries|webhook_endpoints|events)/

let outbox: Outbox
let connection: postgres.ReservedSql

/** A node of EXPLAIN's tree, as far as it is looked at here. */
interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

// Planned on the empty database, and kept: the plans that a worker has which was there before the work came.
beforeAll(async () => {
  outbox = await openOutbox()
  connection = await outbox.sql.reserve()
  await connection`begin`
  await connection.unsafe(SETTINGS)
  await connection.unsafe(`prepare settle as ${settleStatement(SCHEMA)}`)
  await connection.unsafe(`prepare claim as ${claimStatement(SCHEMA)}`)
  await connection.unsafe(settle())
  await connection.unsafe(claim())
  await connection`rollback`

  const endpoints = await outbox.insertEndpoints(400)
  await outbox.insertBacklog(endpoints, 225)
  await outbox.insertBacklog(endpoints.slice(0, 1), 10_000, 3_600_000)
  await outbox.sql`insert into quickquote.events (id, organization_id, type, body, created_at)
    select gen_random_uuid(), gen_random_uuid(), '', '', now() from generate_series(1, 20000)`
})

afterAll(async () => {
  connection.release()
  await outbox.close()
})

const round = `'${randomUUID()}', now(), ${LIMIT}, 8`

function settle(outcomes = noOutcomes()): string {
  return `execute settle(${round}, '${FIRST_UUID}', ${outcomes.map((column) => `'{${column.join(',')}}'`)})`
}

function claim(): string {
  return `execute claim(${round})`
}

function noOutcomes(): string[][] {
  return Array.from({ length: 13 }, () => [])
}

/** What a full batch would be, of leases that are lost: each is looked for. */
async function aBatch(): Promise<string[][]> {
  const rows = await outbox.sql<{ id: string }[]>`select id from quickquote.deliveries limit ${LIMIT}`
  const same = (value: string) => rows.map(() => value)
  const now = new Date().toISOString()
  const due = rows.map((_, index) => (index % 2 === 0 ? 'null' : now))
  return [
    rows.map(() => randomUUID()),
    rows.map(({ id }) => id),
    ...['1', 'succeeded', '204', 'null', '5', now].map(same),
    due,
    ...['quotation.completed', 'null', 'null', 'null'].map(same),
  ]
}

async function explain(): Promise<Record<'settle' | 'claim', Plan[]>> {
  const batch = await aBatch()
  await connection`begin`
  await connection.unsafe(SETTINGS)
  const plans = { settle: await planOf(settle(batch)), claim: await planOf(claim()) }
  await connection`rollback`
  return plans
}

/** The nodes that read our tables. */
async function planOf(statement: string): Promise<Plan[]> {
  const [row] = await connection.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, format json) ${statement}`,
  )
  const nodes = row === undefined ? [] : nodesOf(row['QUERY PLAN'][0].Plan)
  return nodes.filter((node) => TABLES.test(node['Relation Name'] ?? '') && / Scan$/.test(node['Node Type']))
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

function rowsRead(plans: readonly Plan[]): number {
  return plans.reduce((sum, plan) => {
    const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
    return sum + rows * plan['Actual Loops']
  }, 0)
}

describe.each([
  ['that nobody has analyzed, with plans made while it was empty', async () => {}],
  [
    'that was analyzed since',
    async () => {
      await outbox.sql`vacuum analyze`
    },
  ],
])('with 100,000 deliveries that are due, in a database %s', (_, prepare) => {
  let plans: Awaited<ReturnType<typeof explain>>

  beforeAll(async () => {
    await prepare()
    plans = await explain()
  })

  it.each(['settle', 'claim'] as const)('%s finds every row by the index that is meant for it', (name) => {
    expect(plans[name].map((plan) => plan['Node Type'])).not.toContain('Seq Scan')
    const indexes = new Set(
      plans[name]
        .filter((plan) => plan['Actual Loops'] > 0)
        .map((plan) => plan['Index Name']?.replace(/\d{4}_\d\d_\d\d/, 'day')),
    )
    expect([...indexes].sort()).toEqual(
      name === 'settle'
        ? [
            'deliveries_due',
            'deliveries_due_first',
            'deliveries_in_flight',
            'deliveries_pkey',
            'webhook_endpoints_pkey',
          ]
        : [
            'deliveries_due',
            'deliveries_due_first',
            'deliveries_in_flight',
            'deliveries_pkey',
            'deliveries_tests',
            'events_day_pkey',
            'webhook_endpoints_pkey',
          ],
    )
  })

  it('reads as many rows as the batch asks for, not as many as there are', () => {
    // The batch, twice the limit ahead, 200 endpoints on the walk: that is the order of it.
    expect(rowsRead(plans.settle)).toBeLessThan(2000)
    expect(rowsRead(plans.claim)).toBeLessThan(1000)
  })
})

it('a claim with all those deliveries brings what was asked for', async () => {
  const { claimed } = await outbox.storage.settleAndClaim(claimOf(randomUUID(), { limit: LIMIT }))
  expect(claimed).toHaveLength(LIMIT)
})
