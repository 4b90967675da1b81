import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ClaimedDelivery, createRoundMemory, type SettledAttempt } from '@quickquote/core/internal'
import postgres from 'postgres'
import { v7 as uuidv7 } from 'uuid'
import type { Bench } from './bench.ts'
import { type Outbox, openOutbox } from './delivery/outbox.ts'
import { atLeast } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'

const ENDPOINTS = 200
const BACKLOG = 60_000
/** About a worker's claim while it drains. */
const LIMIT = 256

export const deliveryPinnedVacuum: Bench = {
  name: 'delivery-pinned-vacuum',
  title: `Draining ${BACKLOG.toLocaleString('en')} deliveries (nothing is sent) while an old transaction keeps vacuum from cleaning up`,

  async run(context) {
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `https://127.0.0.1/${n}`)
    const outbox = await openOutbox(context, { urls })
    const other = postgres(outbox.databaseUrl, { max: 1 })

    async function measure() {
      await outbox.fill(BACKLOG)
      return { perSecond: BACKLOG / (await drain(outbox)) }
    }

    /** Rows added and removed while the transaction is open stay in the table and its indexes. */
    async function measurePinned() {
      const figures = await other.begin('isolation level repeatable read', async (transaction) => {
        await transaction`select pg_current_xact_id()`
        return measure()
      })
      await outbox.sql`vacuum quickquote.deliveries`
      return figures
    }

    try {
      const [normal, pinned] = await takeTurns(
        [
          { name: 'normal', measure },
          { name: 'pinned', measure: measurePinned },
        ],
        { rounds: context.rounds, onRound: context.progress },
      )
      assert(normal !== undefined && pinned !== undefined)
      const ratio = ratioOf(pinned, normal, 'perSecond')
      return {
        head: ['', 'rows/s', 'ratio', 'lowest', 'highest'],
        rows: [
          [normal.name, medianOf(normal, 'perSecond').toFixed(0), '100 %', '', ''],
          [
            pinned.name,
            medianOf(pinned, 'perSecond').toFixed(0),
            ...[ratio.median, ratio.lowest, ratio.highest].map(percent),
          ],
        ],
        notes: [`Rounds of ${LIMIT}: outcomes recorded, the next deliveries claimed.`],
        goals: [
          atLeast({
            goal: 'Drain while another transaction blocks vacuum, of normal',
            value: ratio.median,
            must: 0.85,
            aim: 0.95,
            format: percent,
          }),
        ],
      }
    } finally {
      await other.end()
      await outbox.close()
    }
  },
}

/** Returns the seconds to claim everything and record it as succeeded. */
async function drain({ storage }: Outbox): Promise<number> {
  const workerId = randomUUID()
  const begun = performance.now()
  let left = BACKLOG
  const memory = createRoundMemory()
  let settled: SettledAttempt[] = []
  while (left > 0) {
    left -= settled.length
    // It ends all that it holds.
    const leases = new Map<string, number>()
    const round = { workerId, settled, limit: LIMIT, perEndpoint: 8, leases, memory, now: new Date() }
    const { claimed } = await storage.deliveries.settleAndClaim(round)
    settled = claimed.map(succeeded)
  }
  return (performance.now() - begun) / 1000
}

function succeeded(delivery: ClaimedDelivery): SettledAttempt {
  return {
    id: uuidv7(),
    delivery,
    status: 'succeeded',
    http_status: 204,
    error: null,
    error_code: null,
    duration_ms: 3,
    response_body: '',
    first_byte_ms: 3,
    header_names: [],
    created_at: new Date(),
    next_attempt_at: null,
    paused_until: null,
  }
}
