import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { startArrivalReceiver } from './delivery/arrivals.ts'
import { HUNG_AT_FIRST_PATH } from './delivery/node-receiver.ts'
import { openOutbox } from './delivery/outbox.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atMost } from './goal.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { monotonicMs } from './usage.ts'

const ENDPOINTS = 200
/** The most that two workers hold at once. */
const DELIVERIES = 1024
/** A worker declares others dead only after its own heartbeat has been uninterrupted for this long. */
const SETTLED_IN_MS = 16_000
/** The interval of heartbeats: the kill is at a random time between two. */
const HEARTBEAT_MS = 5000
const GIVEN_UP_MS = 60_000

export const deliveryKilledWorker: Bench = {
  name: 'delivery-killed-worker',
  title: 'From kill -9 of one of two workers until all its deliveries were sent again',

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, () => `${receiver.origin}${HUNG_AT_FIRST_PATH}`)
    const outbox = await openOutbox(context, { urls })
    const { sql } = outbox
    const settings = { databaseUrl: outbox.databaseUrl, ca: receiver.ca }

    async function startWorker() {
      const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
      await worker.call('open', settings)
      await worker.call('start')
      const [row] = await sql<{ id: string }[]>`
        select id from quickquote.workers order by started_at desc limit 1`
      return { worker, id: row?.id ?? '' }
    }

    async function measure() {
      const victim = await startWorker()
      await outbox.fill(DELIVERIES)
      await sql`notify quickquote_wake`
      await sleep(1000 + Math.random() * HEARTBEAT_MS)
      const held = await sql<{ event_id: string }[]>`
        select event_id from quickquote.deliveries where leased_by = ${victim.id}`
      assert(held.length > 0, 'The worker held no deliveries when it was killed.')
      await receiver.takeAll()
      const killed = monotonicMs()
      await victim.worker.kill()
      const missing = new Set(held.map(({ event_id }) => event_id))
      let last = killed
      while (missing.size > 0 && monotonicMs() - killed < GIVEN_UP_MS) {
        await sleep(50)
        for (const [id, at] of await receiver.takeAll()) if (missing.delete(id)) last = Math.max(last, at)
      }
      assert.equal(missing.size, 0, 'Some deliveries were not sent again.')
      await sql`delete from quickquote.deliveries where leased_by is null`
      return { held: held.length, seconds: (last - killed) / 1000 }
    }

    const survivor = await startWorker()
    await sleep(SETTLED_IN_MS)
    try {
      const [kills] = await takeTurns([{ name: 'kill -9', measure }], {
        rounds: context.rounds,
        onRound: context.progress,
        warmUp: false,
      })
      assert(kills !== undefined)
      const [seconds, worst] = [
        medianOf(kills, 'seconds'),
        Math.max(...kills.rounds.map((each) => each.seconds)),
      ]
      return {
        head: ['', 'seconds', 'worst', 'held'],
        rows: [[kills.name, seconds.toFixed(1), worst.toFixed(1), medianOf(kills, 'held').toFixed(0)]],
        notes: ['The kill is at a random time between two heartbeats.'],
        goals: [
          atMost({
            goal: 'From kill -9 until all deliveries were sent again, worst round',
            value: worst,
            must: 20,
            aim: 10,
            format: (value) => `${value.toFixed(1)} s`,
          }),
        ],
      }
    } finally {
      await survivor.worker.call('stop')
      await outbox.close()
    }
  },
}
