import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { RoundMemory } from '@quickquote/core/internal'
import type { Bench } from './bench.ts'
import { quantile } from './delivery/arrivals.ts'
import { type Outbox, openOutbox } from './delivery/outbox.ts'
import { atMost } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { milliseconds, times } from './table.ts'

const ENDPOINTS = 200
const LIMIT = 500
const FEW = 1000
/** Per round. */
const CLAIMS = 15
const PER_ENDPOINT = 8

export const deliveryClaim: Bench = {
  name: 'delivery-claim',
  title: `A claim of ${LIMIT} deliveries, as the backlog grows`,

  async run(context) {
    const many = context.deliveries
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `https://127.0.0.1/${n}`)
    const [small, large] = [await openOutbox(context, { urls }), await openOutbox(context, { urls })]
    try {
      await small.fill(FEW)
      // The oldest belong to one endpoint, which is at its limit.
      const backlogOfOne = Math.floor(many * 0.3)
      await large.fill(backlogOfOne, large.endpoints.slice(0, 1))
      // Twice its limit: an organization leaves some free places to others.
      const { claimed } = await large.storage.deliveries.round(claim({ limit: 2 * PER_ENDPOINT }))
      assert.equal(claimed.length, PER_ENDPOINT)
      await large.fill(many - backlogOfOne)
      context.progress('backlog filled')
      const [few, lots] = await takeTurns(
        [
          { name: `${FEW.toLocaleString('en')} pending`, measure: () => measure(small) },
          { name: `${many.toLocaleString('en')} pending`, measure: () => measure(large) },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      assert(few !== undefined && lots !== undefined)
      const ratio = ratioOf(lots, few, 'medianMs')
      return {
        head: ['', 'median ms', 'p95 ms'],
        rows: [few, lots].map((each) => [
          each.name,
          ...(['medianMs', 'p95Ms'] as const).map((figure) => medianOf(each, figure).toFixed(1)),
        ]),
        notes: [
          `The oldest 30 % of the larger backlog belong to one endpoint, which already has its ${PER_ENDPOINT} in flight.`,
        ],
        goals: [
          atMost({
            goal: `A claim of ${LIMIT} at ${many.toLocaleString('en')} pending`,
            value: medianOf(lots, 'medianMs'),
            must: 10,
            format: milliseconds,
          }),
          atMost({
            goal: `The same, against ${FEW.toLocaleString('en')} pending`,
            value: ratio.median,
            must: 1.2,
            format: times,
          }),
        ],
      }
    } finally {
      await small.close()
      await large.close()
    }
  },
}

function claim(fields: { workerId?: string; memory?: RoundMemory | undefined; limit: number }) {
  return { workerId: randomUUID(), settled: [], perEndpoint: PER_ENDPOINT, now: new Date(), ...fields }
}

/** Returns the claimed deliveries, so that the backlog stays the same. */
async function measure({ storage, sql }: Outbox) {
  const workerId = randomUUID()
  let memory: RoundMemory | undefined
  const took: number[] = []
  for (let n = 0; n < CLAIMS; n += 1) {
    const begun = performance.now()
    const { claimed, ...result } = await storage.deliveries.round(claim({ workerId, memory, limit: LIMIT }))
    memory = result.memory
    took.push(performance.now() - begun)
    assert.equal(claimed.length, LIMIT)
    await storage.deliveries.release(workerId, claimed)
    // As autovacuum would after so many changes to a small table.
    if (n % 5 === 4) await sql`vacuum quickquote.deliveries`
  }
  return { medianMs: quantile(took, 0.5), p95Ms: quantile(took, 0.95) }
}
