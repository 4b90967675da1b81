import type { Bench } from './bench.ts'
import { openOutbox } from './delivery/outbox.ts'
import { startFastReceiver } from './delivery/receiver.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'

const MIB = 1024 * 1024
const ENDPOINTS = 200
const PARTS = 10

export const deliveryMemory: Bench = {
  name: 'delivery-memory',
  title: 'Memory of a worker process that drains a large outbox',

  async run(context) {
    const { deliveries } = context
    const receiver = await startFastReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    try {
      await outbox.fill(deliveries)
      context.progress(`${deliveries} deliveries recorded`)
      await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
      await worker.call('start')
      const peaks: number[] = []
      const begun = performance.now()
      for (let part = 1; part <= PARTS; part += 1) {
        await worker.call('watchMemory')
        await worker.call('settled', Math.floor((deliveries * part) / PARTS))
        peaks.push((await worker.call('peakMemory')) / MIB)
        context.progress(`${part * PARTS} %: at most ${peaks.at(-1)?.toFixed(0)} MiB`)
      }
      const seconds = (performance.now() - begun) / 1000
      const peak = Math.max(...peaks)
      const [first, second, last] = [peaks[0], peaks[1], peaks.at(-1)].map((mib) => mib?.toFixed(0) ?? '')
      return {
        head: ['', 'peak of the first tenth, MiB', 'of the second', 'of the last', 'peak', 'deliveries/s'],
        rows: [
          [
            `${deliveries.toLocaleString('en')} deliveries`,
            ...[first, second, last].map(String),
            peak.toFixed(0),
            (deliveries / seconds).toFixed(0),
          ],
        ],
        notes: ['Resident memory of the whole process. One run.'],
        goals: [
          atMost({
            goal: `Memory of a worker draining ${deliveries.toLocaleString('en')}, peak`,
            value: peak,
            must: 200,
            format: (value) => `${value.toFixed(0)} MiB`,
          }),
        ],
      }
    } finally {
      await worker.call('stop')
      await outbox.close()
      await receiver.stop()
    }
  },
}
