import assert from 'node:assert/strict'
import { createDeliveryWorker, type DeliveryWorker } from '@quickquote/delivery-worker'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { emit } from './delivery/emit.ts'
import { createBenchIntegrations, openOutbox } from './delivery/outbox.ts'
import { postgresCpuSeconds } from './delivery/postgres-cpu.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { milliseconds } from './table.ts'
import { ownCpuSeconds } from './usage.ts'

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
    const events = Math.ceil((context.seconds * 1000) / EVERY_MS)
    /** Of the process that commits, of the worker, and of PostgreSQL. */
    const cpuSeconds = async () =>
      (await ownCpuSeconds()) + (await worker.call('cpuSeconds')) + (await postgresCpuSeconds(outbox.sql))

    async function measureWith({ start, stop }: Pick<DeliveryWorker, 'start' | 'stop'>) {
      await start()
      const begun = await cpuSeconds()
      const times = await emit(outbox, receiver, { events, everyMs: EVERY_MS })
      const cpuUs = (((await cpuSeconds()) - begun) / events) * 1e6
      await stop()
      return {
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        worstMs: Math.max(...times),
        cpuUs,
      }
    }

    const apart = { start: () => worker.call('start'), stop: () => worker.call('stop') }
    const integrations = createBenchIntegrations(outbox.storage)
    const together = createDeliveryWorker({ integrations, ca: receiver.ca })
    try {
      const measured = await takeTurns(
        [
          { name: 'a worker of its own process', measure: () => measureWith(apart) },
          { name: 'a worker in the process that commits', measure: () => measureWith(together) },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      const [latency] = measured
      assert(latency !== undefined)
      const [p50, p99] = [medianOf(latency, 'p50Ms'), medianOf(latency, 'p99Ms')]
      return {
        head: ['', 'p50 ms', 'p99 ms', 'worst ms', 'CPU us a delivery'],
        rows: measured.map((each) => [
          each.name,
          ...(['p50Ms', 'p99Ms', 'worstMs'] as const).map((figure) => medianOf(each, figure).toFixed(1)),
          medianOf(each, 'cpuUs').toFixed(0),
        ]),
        notes: [
          `${events} events a round, one every ${EVERY_MS} ms. The receiver is Node.`,
          'CPU time is of the process that commits, of the worker, and of PostgreSQL.',
        ],
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
      await outbox.close()
    }
  },
}
