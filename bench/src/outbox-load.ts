import { randomUUID } from 'node:crypto'
import { type ClaimedDelivery, createRoundMemory, type SettledAttempt } from '@quickquote/core/internal'
import type { DrizzleStorage } from '@quickquote/storage-drizzle'
import { v7 as uuidv7 } from 'uuid'
import type { Subscriber } from './old-day.ts'

/** The statements of the load within a period. */
interface LoadStretch {
  readonly perSecond: number
  /** The slowest statement. */
  readonly longestMs: number
}

export interface OutboxLoad {
  /** The statements since the last call. */
  stretch(): LoadStretch
  stop(): Promise<void>
}

const RECORDERS = 4

/** Records events and settles their deliveries in a few loops, each with one statement at a time. */
export function startOutboxLoad(storage: DrizzleStorage, subscribers: readonly Subscriber[]): OutboxLoad {
  const workerId = randomUUID()
  let isStopped = false
  let began = performance.now()
  let statements = 0
  let longestMs = 0
  const underWay = new Set<number>()

  async function timed<T>(statement: () => Promise<T>): Promise<T> {
    const at = performance.now()
    underWay.add(at)
    const result = await statement()
    underWay.delete(at)
    statements += 1
    longestMs = Math.max(longestMs, performance.now() - at)
    return result
  }

  async function record(first: number): Promise<void> {
    for (let n = first; !isStopped; n += 1) {
      const organization_id = subscribers[n % subscribers.length]?.organizationId ?? ''
      await timed(() =>
        storage.events.record({
          id: uuidv7(),
          organization_id,
          type: 'quotation.completed',
          quotation_id: randomUUID(),
          generation_source: 'api_key',
          created_at: new Date(),
          body: 'x'.repeat(400),
          trace: null,
        }),
      )
    }
  }

  async function settle(): Promise<void> {
    const memory = createRoundMemory()
    let settled: SettledAttempt[] = []
    while (!isStopped) {
      const round = { workerId, settled, limit: 100, perEndpoint: 100, memory, now: new Date() }
      const { claimed } = await timed(() => storage.deliveries.settleAndClaim(round))
      settled = claimed.map(succeeded)
    }
  }

  const loops = Promise.all([...Array.from({ length: RECORDERS }, (_, first) => record(first)), settle()])
  return {
    stretch() {
      const now = performance.now()
      const stillMs = Math.max(0, ...[...underWay].map((at) => now - at))
      const stretch = {
        perSecond: statements / ((now - began) / 1000),
        longestMs: Math.max(longestMs, stillMs),
      }
      began = now
      statements = 0
      longestMs = 0
      return stretch
    },
    async stop() {
      isStopped = true
      await loops
    },
  }
}

function succeeded(delivery: ClaimedDelivery): SettledAttempt {
  return {
    id: uuidv7(),
    delivery,
    status: 'succeeded',
    http_status: 204,
    error: null,
    error_code: null,
    duration_ms: 12,
    response_body: null,
    first_byte_ms: 9,
    header_names: [],
    created_at: new Date(),
    next_attempt_at: null,
    paused_until: null,
  }
}
