import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { openOutbox } from './delivery/outbox.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { milliseconds } from './table.ts'

const ENDPOINTS = 20
/** Far enough apart that nothing is in flight when the next one comes. */
const EVERY_MS = 20

export const deliveryLatency: Bench = {
  name: 'delivery-latency',
  title: 'From the commit of an event to its receiver, otherwise idle',

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
    await worker.call('start')
    const events = Math.ceil((context.seconds * 1000) / EVERY_MS)

    async function measure() {
      const times = await emit(outbox, receiver, { events, everyMs: EVERY_MS })
      return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), worstMs: Math.max(...times) }
    }

    try {
      const [latency] = await takeTurns([{ name: 'one at a time', measure }], {
        rounds: context.rounds,
        onRound: context.progress,
      })
      assert(latency !== undefined)
      const [p50, p99] = [medianOf(latency, 'p50Ms'), medianOf(latency, 'p99Ms')]
      return {
        head: ['', 'p50 ms', 'p99 ms', 'worst ms'],
        rows: [[latency.name, ...[p50, p99, medianOf(latency, 'worstMs')].map((ms) => ms.toFixed(1))]],
        notes: [`${events} events a round, one every ${EVERY_MS} ms. The receiver is Node.`],
        goals: [
          atMost({
            goal: 'Event committed to receiver, idle, p50',
            value: p50,
            must: 4,
            aim: 2,
            format: milliseconds,
          }),
          atMost({
            goal: 'Event committed to receiver, idle, p99',
            value: p99,
            must: 10,
            aim: 5,
            format: milliseconds,
          }),
        ],
      }
    } finally {
      await worker.call('stop')
      await outbox.close()
    }
  },
}
