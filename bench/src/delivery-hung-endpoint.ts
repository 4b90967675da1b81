import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createCertificate } from '@quickquote/dev-servers'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { HUNG_PATH } from './delivery/node-receiver.ts'
import { type Endpoint, type Outbox, openOutbox } from './delivery/outbox.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { milliseconds, times } from './table.ts'

const ENDPOINTS = 200
const PER_SECOND = 500
/** Until the worker has opened a connection for each place that hung deliveries take. */
const START_SECONDS = 6
/** Older than all deliveries of the others. */
const BACKLOG = 5000
const HUNG_ORGANIZATIONS = 2
/** Of each. Together they could take every place of a worker. */
const HUNG_ENDPOINTS = 50
const MANY_HUNG = `beside ${HUNG_ORGANIZATIONS} organizations with ${HUNG_ENDPOINTS} hung endpoints each`
const OF_ONE_ORIGIN = `${MANY_HUNG}, all of one origin`

export const deliveryHungEndpoint: Bench = {
  name: 'delivery-hung-endpoint',
  title: `${ENDPOINTS} endpoints with ${PER_SECOND} events/s, beside others that hang and have ${BACKLOG} waiting`,

  async run(context) {
    const certificate = await createCertificate()
    const receiver = await startArrivalReceiver(context, certificate)
    // Of another origin, as most are. The one shares that of the healthy endpoints.
    const hungReceiver = await startArrivalReceiver(context, certificate)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const { sql } = outbox
    const one = await outbox.addEndpoint(`${receiver.origin}${HUNG_PATH}`)
    const many = await addHung(outbox, hungReceiver.origin)
    const manyOfOneOrigin = await addHung(outbox, receiver.origin)
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })

    async function measure() {
      await worker.call('start')
      const [atStart, then] = [await latencies(START_SECONDS), await latencies(context.seconds)]
      await worker.call('stop')
      return {
        p50Ms: quantile(then, 0.5),
        p99Ms: quantile(then, 0.99),
        startP99Ms: quantile(atStart, 0.99),
      }
    }

    function latencies(seconds: number) {
      return emit(outbox, receiver, { events: PER_SECOND * seconds, everyMs: 1000 / PER_SECOND })
    }

    async function measureBeside(hung: readonly Endpoint[]) {
      await outbox.fill(BACKLOG, hung)
      const figures = await measure()
      await sql`delete from quickquote.deliveries`
      await sql`vacuum quickquote.deliveries`
      return figures
    }

    try {
      const measured = await takeTurns(
        [
          { name: 'without them', measure },
          { name: 'beside one', measure: () => measureBeside([one]) },
          { name: MANY_HUNG, measure: () => measureBeside(many) },
          { name: OF_ONE_ORIGIN, measure: () => measureBeside(manyOfOneOrigin) },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      const [alone, beside, ...besideMany] = measured
      assert(alone !== undefined && beside !== undefined)
      const goal = "Healthy endpoints' p99"
      return {
        head: [
          '',
          `p99 ms, first ${START_SECONDS} s`,
          'then p50 ms',
          'p99 ms',
          'p99, of without',
          'lowest – highest round',
        ],
        rows: measured.map((each) => {
          const ratio = ratioOf(each, alone, 'p99Ms')
          return [
            each.name,
            ...(['startP99Ms', 'p50Ms', 'p99Ms'] as const).map((figure) => medianOf(each, figure).toFixed(1)),
            times(ratio.median),
            `${times(ratio.lowest)} – ${times(ratio.highest)}`,
          ]
        }),
        notes: [],
        goals: [
          atMost({
            goal: `${goal} ${beside.name}`,
            value: medianOf(beside, 'p99Ms'),
            must: 25,
            format: milliseconds,
          }),
          ...[beside, ...besideMany].map((each) =>
            atMost({
              goal: `${goal} ${each.name}, of without`,
              value: ratioOf(each, alone, 'p99Ms').median,
              must: 1.5,
              format: times,
            }),
          ),
        ],
      }
    } finally {
      await outbox.close()
    }
  },
}

/** Organizations with endpoints that hang. */
async function addHung(outbox: Outbox, origin: string): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (let n = 0; n < HUNG_ORGANIZATIONS; n += 1) {
    const organizationId = randomUUID()
    while (endpoints.length < (n + 1) * HUNG_ENDPOINTS) {
      endpoints.push(await outbox.addEndpoint(`${origin}${HUNG_PATH}`, organizationId))
    }
  }
  return endpoints
}
