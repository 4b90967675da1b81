import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'
import type postgres from 'postgres'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { createBenchIntegrations, type Endpoint, openOutbox } from './delivery/outbox.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { times } from './table.ts'
import { peakMemory, watchMemory } from './usage.ts'

const ENDPOINTS = 20
const EVERY_MS = 20
/** Each has ten rows in all. */
const QUOTATIONS = 50_000
const ROWS = QUOTATIONS * 10

export const eraseOrganization: Bench = {
  name: 'erase-organization',
  title: `Erasing an organization with ${ROWS.toLocaleString('en')} rows, while others receive events`,

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const { sql } = outbox
    const { organizations } = createBenchIntegrations(outbox.storage)
    const bystander = await outbox.addEndpoint(`${receiver.origin}/bystander`)
    await fill(sql, bystander)
    const untouched = await hashOf(sql, bystander)
    const empty = await tablesMib(sql)
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
    await worker.call('start')

    const erasings: Erasing[] = []
    const emitted = () =>
      emit(outbox, receiver, { events: (context.seconds * 1000) / EVERY_MS, everyMs: EVERY_MS })
    const figuresOf = (latencies: readonly number[]) => ({
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
    })

    async function deliverWhileErasing() {
      const leaver = await outbox.addEndpoint(`${receiver.origin}/leaver`)
      await fill(sql, leaver)
      const fullMib = await tablesMib(sql)
      const exported = await measureExport(organizations, leaver)
      const latencies: number[] = []
      const begun = performance.now()
      let seconds: number | undefined
      await organizations.erase(leaver.organizationId)
      const erased = untilErased(organizations, leaver).then(() => {
        seconds = (performance.now() - begun) / 1000
      })
      while (seconds === undefined) latencies.push(...(await emitted()))
      await erased
      assert.equal(await hashOf(sql, bystander), untouched)
      await sql`vacuum`
      erasings.push({ seconds, ...exported, fullMib, leftMib: await tablesMib(sql) })
      return figuresOf(latencies)
    }

    try {
      const [before, meanwhile] = await takeTurns(
        [
          { name: 'before', measure: async () => figuresOf(await emitted()) },
          { name: 'while it is erased', measure: deliverWhileErasing },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      assert(before !== undefined && meanwhile !== undefined)
      const ratio = ratioOf(meanwhile, before, 'p99Ms')
      const figure = (name: keyof Erasing) => medianOf({ name: 'erasing', rounds: erasings }, name).toFixed(0)
      return {
        head: ['', 'p50 ms', 'p99 ms'],
        rows: [before, meanwhile].map((each) => [
          each.name,
          ...(['p50Ms', 'p99Ms'] as const).map((name) =>
            medianOf<{ p50Ms: number; p99Ms: number }>(each, name).toFixed(1),
          ),
        ]),
        notes: [
          `The p99 is ${times(ratio.median)} that before (${times(ratio.lowest)} to ${times(ratio.highest)}). One event every ${EVERY_MS} ms.`,
          `Erasing took ${figure('seconds')} s. The rows of another organization of that size are unchanged, by their md5.`,
          `The tables took ${empty.toFixed(0)} MiB without it, ${mib(erasings[0]?.fullMib)} MiB with it, ${mib(erasings[0]?.leftMib)} MiB after erasing and a vacuum, and ${mib(erasings.at(-1)?.fullMib)} MiB after ${erasings.length - 1} more rounds, full again.`,
          `Exporting it first took ${figure('exportSeconds')} s and ${figure('exportMib')} MiB of additional memory.`,
        ],
        goals: [
          atMost({
            goal: "Others' p99 while an organization is erased, against before",
            value: ratio.median,
            must: 2,
            format: times,
          }),
        ],
      }
    } finally {
      await worker.call('stop')
      await outbox.close()
    }
  },
}

type Erasing = {
  readonly seconds: number
  readonly exportSeconds: number
  readonly exportMib: number
  readonly fullMib: number
  readonly leftMib: number
}

/** Quotations of the last minute, each with two steps, three events, three attempts and an entry in the audit log. */
async function fill(sql: postgres.Sql, { id, organizationId }: Endpoint): Promise<void> {
  const at = sql`now() - n * interval '50 seconds' / ${QUOTATIONS}`
  await sql`
    with quotation as (
      insert into quickquote.quotations (id, organization_id, name, description, status, processed_step, source,
        created_at, updated_at)
      select gen_random_uuid(), ${organizationId}, 'Quote ' || n, repeat('x', 200), 'completed', 'proposal', 'api_key', ${at}, ${at}
      from generate_series(1, ${QUOTATIONS}) n returning id, organization_id, created_at
    ), step as (
      insert into quickquote.quotation_steps (quotation_id, step, status, started_at, completed_at)
      select id, step, 'completed', created_at, created_at
      from quotation, unnest(array['requirement_analysis', 'proposal']) step
    ), event as (
      insert into quickquote.events (id, organization_id, type, quotation_id, sequence, body, generation_source, created_at)
      select gen_random_uuid(), organization_id, 'quotation.completed', id, n, repeat('x', 400), 'api_key', created_at
      from quotation, generate_series(1, 3) n returning id, organization_id, quotation_id, created_at
    ), attempt as (
      insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
        quotation_id, attempt, status, http_status, response_body, duration_ms, is_test, created_at)
      select gen_random_uuid(), gen_random_uuid(), organization_id, ${id}, id, 'quotation.completed', quotation_id, 1,
        'succeeded', 200, 'ok', 12, false, created_at from event
    )
    insert into quickquote.audit_log (id, organization_id, action, resource_type, resource_id, resource_name, changes, created_at)
    select gen_random_uuid(), organization_id, 'webhook_endpoint.updated', 'webhook_endpoint', ${id}, 'Bench', '[]', created_at
    from quotation`
  await sql`vacuum analyze`
}

/** The md5 of all rows of an organization, by table. */
async function hashOf(sql: postgres.Sql, { organizationId }: Endpoint): Promise<string> {
  const tables = ['quotations', 'events', 'delivery_attempts', 'audit_log', 'webhook_endpoints']
  const hashes = []
  for (const table of tables) {
    const [row] = await sql<{ hash: string }[]>`
      select md5(string_agg(each::text, '' order by each::text)) as hash
      from quickquote.${sql(table)} each where organization_id = ${organizationId}`
    hashes.push(row?.hash)
  }
  return hashes.join(' ')
}

/** The size on disk. A vacuum keeps it for new rows. */
async function tablesMib(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    select sum(pg_total_relation_size(oid)) as bytes from pg_class
    where relnamespace = 'quickquote'::regnamespace and relkind = 'r'`
  return Number(row?.bytes) / 2 ** 20
}

const mib = (value = Number.NaN) => value.toFixed(0)

async function measureExport(
  organizations: Integrations['organizations'],
  { organizationId }: Endpoint,
): Promise<{ exportSeconds: number; exportMib: number }> {
  const idle = await watchMemory()
  const begun = performance.now()
  let lines = 0
  for await (const _ of organizations.export(organizationId)) lines += 1
  assert(lines >= QUOTATIONS * 8)
  return {
    exportSeconds: (performance.now() - begun) / 1000,
    exportMib: ((await peakMemory()) - idle) / 2 ** 20,
  }
}

async function untilErased(
  organizations: Integrations['organizations'],
  { organizationId }: Endpoint,
): Promise<void> {
  while ((await organizations.erasure(organizationId))?.status !== 'erased') await sleep(200)
}
