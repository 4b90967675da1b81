import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Bench, BenchContext } from './bench.ts'
import { type ArrivalReceiver, quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { type Outbox, openOutbox } from './delivery/outbox.ts'
import { postgresCpuSeconds } from './delivery/postgres-cpu.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { fillHistory } from './history.ts'
import { type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { times } from './table.ts'

const DAYS = [1, 30, 366] as const
const PER_DAY = 20_000
const ENDPOINTS = 50
/** Per round. */
const [EVENTS, DRAINED, PAGES] = [100, 3000, 20] as const
/** The promise against one day, by days kept. */
const MOST: Readonly<Record<number, number>> = { 30: 1.05, 366: 1.1 }

/** Everything that runs often, on databases that differ only in the days of history that they keep. */
export const growth: Bench = {
  name: 'growth',
  title: `As history grows: ${PER_DAY.toLocaleString('en')} events and attempts a day`,

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const sides = []
    for (const days of DAYS) sides.push(await openSide(context, receiver, days))
    try {
      const measured = await takeTurns(sides, { rounds: context.rounds, onRound: context.progress })
      const [first, ...others] = measured
      assert(first !== undefined)
      const names = Object.keys(first.rounds[0] ?? {}) as Figure[]
      return {
        head: [
          '',
          ...measured.map(({ name }) => name),
          ...others.map(({ name }) => `${name} / ${first.name}`),
        ],
        rows: names.map((figure) => [
          figure,
          ...measured.map((side) => medianOf(side, figure).toFixed(2)),
          ...others.map((side) => times(ratioOf(side, first, figure).median)),
        ]),
        notes: [`${ENDPOINTS} endpoints of one organization.`],
        goals: others.flatMap((side, index) =>
          names.map((figure) => goalOf(side, first, figure, DAYS[index + 1] ?? 0)),
        ),
      }
    } finally {
      for (const side of sides) await side.close()
    }
  },
}

type Figure = keyof Awaited<ReturnType<Awaited<ReturnType<typeof openSide>>['measure']>>

function goalOf(side: Measured<Record<Figure, number>>, base: typeof side, figure: Figure, days: number) {
  return atMost({
    goal: `${figure}, ${side.name} against ${base.name}`,
    value: ratioOf(side, base, figure).median,
    must: MOST[days] ?? 1,
    format: (value) => `${value.toFixed(2)}x`,
  })
}

async function openSide(context: BenchContext, receiver: ArrivalReceiver, days: number) {
  const outbox = await openOutbox(context, { urls: [], days: 0 })
  const organizationId = randomUUID()
  for (let n = 0; n < ENDPOINTS; n += 1) await outbox.addEndpoint(`${receiver.origin}/${n}`, organizationId)
  const { sql, storage } = outbox
  const endpointIds = (await sql<{ id: string }[]>`select id from quickquote.webhook_endpoints`).map(
    ({ id }) => id,
  )
  await fillHistory(sql, { days, perDay: PER_DAY, organizationId, endpointIds })
  // Else the first worker would count a year of hours.
  await storage.retention.countHours()
  context.progress(`${days} days filled`)
  const [event] = await sql<{ id: string; position: string }[]>`
    select id, feed_position::text as position from quickquote.events order by created_at desc offset 1000 limit 1`
  assert(event !== undefined)
  const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
  await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
  const own = (endpoints: readonly string[]): Outbox => ({
    ...outbox,
    endpoints: endpoints.map((id) => ({ id, organizationId })),
  })
  // Emitting goes to all endpoints of the organization: one subscribes, the others are disabled.
  await sql`update quickquote.webhook_endpoints set is_enabled = false where id <> ${endpointIds[0] ?? ''}`

  const page = { after: null, limit: 51 }
  const any = {
    endpoint_id: null,
    event_type: null,
    event_id: null,
    quotation_id: null,
    http_status: null,
    quotation_ids: null,
    status: null,
    undelivered: null,
    since: null,
    until: null,
    attempts: 'all' as const,
  }
  const log = (filter: object) => () =>
    storage.deliveryLog.listAttempts(organizationId, { ...any, ...filter }, page)
  const reads = {
    'feed page ms': () =>
      storage.eventFeed.read(
        organizationId,
        { position: Number(event.position), eventId: event.id },
        { types: null, source: null },
        100,
      ),
    'log ms': log({}),
    'log by event ms': log({ event_id: event.id }),
    'log by status ms': log({ status: 'exhausted' }),
    'log by endpoint ms': log({ endpoint_id: endpointIds[7] }),
    'event view ms': () => storage.deliveryLog.findBody(organizationId, event.id),
  }

  return {
    name: days === 1 ? '1 day' : `${days} days`,
    async measure() {
      await worker.call('start')
      const idle = await emit(own(endpointIds.slice(0, 1)), receiver, { events: EVENTS, everyMs: 20 })
      await worker.call('stop')
      await outbox.fill(DRAINED, own(endpointIds).endpoints.slice(0, 1))
      const begun = await postgresCpuSeconds(sql)
      await worker.call('start')
      for (;;) {
        const [left] = await sql`select from quickquote.deliveries limit 1`
        if (left === undefined) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const cpu = (await postgresCpuSeconds(sql)) - begun
      await worker.call('stop')
      const figures: Record<string, number> = {}
      for (const [name, read] of Object.entries(reads)) {
        const took: number[] = []
        for (let n = 0; n < PAGES; n += 1) {
          const at = performance.now()
          await read()
          took.push(performance.now() - at)
        }
        figures[name] = quantile(took, 0.5)
      }
      return {
        'idle p50 ms': quantile(idle, 0.5),
        'idle p99 ms': quantile(idle, 0.99),
        'PostgreSQL us a delivery': (cpu / DRAINED) * 1e6,
        ...(figures as Record<keyof typeof reads, number>),
      }
    },
    close: () => outbox.close(),
  }
}
