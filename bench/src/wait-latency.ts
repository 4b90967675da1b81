import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { quantile } from './delivery/arrivals.ts'
import { atMost } from './goal.ts'
import { startPartnerHost } from './http-contender.ts'
import { createPartnerData } from './partner-data.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { milliseconds } from './table.ts'
import { monotonicMs } from './usage.ts'

/** Requests that wait at once, each with its own key and quote. */
const WAITING = 20

export const waitLatency: Bench = {
  name: 'wait-latency',
  title: 'From the commit of a change to the response that waits for it (`?wait=20`), otherwise idle',

  async run(context) {
    const data = await createPartnerData(context, { keys: WAITING })
    const { origin } = await startPartnerHost(context, data)
    const sql = postgres(data.databaseUrl, { onnotice() {} })

    /** Milliseconds until each of one quote's changes was answered. */
    async function follow(id: string, apiKey: string, until: number): Promise<number[]> {
      const path = `${origin}/v1/integrations/quotations/${id}`
      const read = async (query = '') => {
        const response = await fetch(path + query, { headers: { 'x-api-key': apiKey } })
        return ((await response.json()) as { updated_at: string }).updated_at
      }
      const times: number[] = []
      for (let known = await read(); monotonicMs() < until; ) {
        const answered = read(`?wait=20&since=${known}`).then((seen) => ({ seen, at: monotonicMs() }))
        // At any time between two look-ups.
        await sleep(500 + Math.random() * 1000)
        await sql`update quickquote.quotations set updated_at = clock_timestamp() where id = ${id}`
        const committed = monotonicMs()
        const { seen, at } = await answered
        assert.notEqual(seen, known)
        times.push(at - committed)
        known = seen
      }
      return times
    }

    async function measure() {
      const until = monotonicMs() + context.seconds * 1000
      const followed = data.apiKeys.map((apiKey, n) => follow(data.quotationIds[n] ?? '', apiKey, until))
      const times = (await Promise.all(followed)).flat()
      return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), worstMs: Math.max(...times) }
    }

    try {
      const rounds = { rounds: context.rounds, onRound: context.progress }
      const [latency] = await takeTurns([{ name: `${WAITING} at once`, measure }], rounds)
      assert(latency !== undefined)
      const p99 = medianOf(latency, 'p99Ms')
      const figures = [medianOf(latency, 'p50Ms'), p99, medianOf(latency, 'worstMs')]
      return {
        head: ['', 'p50 ms', 'p99 ms', 'worst ms'],
        rows: [[latency.name, ...figures.map((ms) => ms.toFixed(1))]],
        notes: ['A request that nothing ends takes 20 s: three a minute.'],
        goals: [
          atMost({
            goal: 'Step committed to waiting response, p99',
            value: p99,
            must: 1000,
            format: milliseconds,
          }),
        ],
      }
    } finally {
      await sql.end()
    }
  },
}
