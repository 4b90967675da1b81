import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { HUNG_PATH } from './delivery/node-receiver.ts'
import { openOutbox } from './delivery/outbox.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { milliseconds, times } from './table.ts'

const ENDPOINTS = 200
const PER_SECOND = 500
/** Older than all deliveries of the others. */
const BACKLOG = 5000

export const deliveryHungEndpoint: Bench = {
  name: 'delivery-hung-endpoint',
  title: `${ENDPOINTS} endpoints with ${PER_SECOND} events/s, beside one that hangs and has ${BACKLOG} waiting`,

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const { sql } = outbox
    const hung = await outbox.addEndpoint(`${receiver.origin}${HUNG_PATH}`)
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })

    async function measure() {
      await worker.call('start')
      const latencies = await emit(outbox, receiver, {
        events: PER_SECOND * context.seconds,
        everyMs: 1000 / PER_SECOND,
      })
      await worker.call('stop')
      return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
    }

    async function measureBesideHung() {
      await outbox.fill(BACKLOG, [hung])
      const figures = await measure()
      await sql`delete from quickquote.deliveries`
      await sql`vacuum quickquote.deliveries`
      return figures
    }

    try {
      const [alone, beside] = await takeTurns(
        [
          { name: 'without it', measure },
          { name: 'beside it', measure: measureBesideHung },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      assert(alone !== undefined && beside !== undefined)
      const ratio = ratioOf(beside, alone, 'p99Ms')
      const p99 = medianOf(beside, 'p99Ms')
      const goal = "Healthy endpoints' p99 beside a hung one"
      return {
        head: ['', 'p50 ms', 'p99 ms'],
        rows: [alone, beside].map((each) => [
          each.name,
          ...(['p50Ms', 'p99Ms'] as const).map((figure) => medianOf(each, figure).toFixed(1)),
        ]),
        notes: [
          `The p99 beside it is ${times(ratio.median)} that without it (${times(ratio.lowest)} to ${times(ratio.highest)}).`,
        ],
        goals: [
          atMost({ goal, value: p99, must: 25, format: milliseconds }),
          atMost({ goal: `${goal}, of without`, value: ratio.median, must: 1.5, format: times }),
        ],
      }
    } finally {
      await outbox.close()
    }
  },
}
