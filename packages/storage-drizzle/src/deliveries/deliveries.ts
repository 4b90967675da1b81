import assert from 'node:assert/strict'
import {
  type ClaimedDelivery,
  createRoundMemory,
  type DeliveryStorage,
  type EncryptedSecret,
  type RoundMemory,
  type SettledAttempt,
} from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Row } from '../connection/statement.ts'
import {
  CATCH_UP,
  DELIVERY_ROUND,
  RELEASE_DELIVERIES,
  RELEASE_NEXT,
  RELEASE_UNKNOWN_DELIVERIES,
} from './deliveries.sql.ts'
import { FIRST_UUID } from './delivery-id.ts'

/**
 * While draining a backlog, a round starts this much before the oldest delivery of the previous one: before that, the
 * index may hold only dead entries. Late commits are usually younger. From time to time, and whenever a round would
 * claim little, it scans everything.
 */
const OVERLAP_MS = 1000
const FULL_LOOK_MS = 1000

/** Deliveries per transaction that follow a change of their endpoint. */
const CAUGHT_UP_AT_ONCE = 2000

/** A smaller claim is not a backlog. */
const LARGE_CLAIM = 64

/** See DeliveryStorage. */
export function deliveryStorage(database: Database): DeliveryStorage {
  return {
    async settleAndClaim({ memory = createRoundMemory(), ...wanted }) {
      let settled = wanted.settled
      let sawAll = memory.walkAfter === null
      for (;;) {
        const { isAtTheEnd, ...claim } = await round(database, memory, { ...wanted, settled })
        // A walk that stopped early or began in the middle, and found nothing, continues until it has seen all
        // endpoints.
        if (claim.claimed.length > 0 || wanted.limit === 0 || (isAtTheEnd && sawAll)) return claim
        sawAll ||= isAtTheEnd
        settled = []
      }
    },

    async releaseWaiting(now) {
      const released = await database.run(RELEASE_NEXT, { now })
      if (released.length > 0) await database.wake()
    },

    async catchUp(now, limit = CAUGHT_UP_AT_ONCE) {
      const [batch] = await database.run(CATCH_UP, { endpoint_id: null, now, limit })
      if (batch?.state === 'done') await database.wake()
      return batch?.state === 'done' || batch?.state === 'more'
    },

    async release(workerId, deliveries) {
      const released = await database.run(RELEASE_DELIVERIES, {
        worker_id: workerId,
        ids: deliveries.map(({ id }) => id),
        attempts: deliveries.map(({ attempt }) => attempt),
        due_at: deliveries.map(({ due_at }) => due_at ?? '-infinity'),
      })
      if (released.length > 0) await database.wake()
    },
  }
}

async function round(
  database: Database,
  memory: RoundMemory,
  { workerId, settled, limit, perEndpoint, underWay, leases, held, now }: Round,
): Promise<RoundClaim> {
  const after = dueAfter(memory, now)
  const attempts = JSON.stringify(settled.map(toRecord))
  if (held !== undefined) await database.run(RELEASE_UNKNOWN_DELIVERIES, { worker_id: workerId, held })
  const [first, ...deliveries] = await database.run(DELIVERY_ROUND, {
    worker_id: workerId,
    now,
    limit,
    per_endpoint: perEndpoint,
    walk_after: memory.walkAfter ?? FIRST_UUID,
    must_walk: memory.isShort,
    due_after: after,
    settled: attempts,
    own_leases: leases === undefined ? null : JSON.stringify(Object.fromEntries(leases)),
    ...placesOf(underWay),
  })
  assert(first !== undefined)
  const found: FoundRound = JSON.parse(first.round)
  const claimed = claimedOf(deliveries, found.endpoints, now)
  memory.walkAfter = found.walked_to
  memory.isShort = found.is_long && claimed.length < limit / 2
  memory.oldestDueAt = claimed.length >= Math.max(LARGE_CLAIM, limit / 2) ? fromIso(found.first_due_at) : null
  const sawAllAhead = after === null || claimed.length === limit
  const isMore = found.is_more || found.walked_to !== null || !sawAllAhead
  return {
    claimed,
    nextDueAt: isMore ? now : fromIso(found.next_due_at),
    isCatchingUp: found.is_catching_up,
    isAtTheEnd: found.walked_to === null && sawAllAhead,
  }
}

/** Where a round starts to scan; null: at the beginning. */
function dueAfter(memory: RoundMemory, now: Date): Date | null {
  if (memory.oldestDueAt !== null && performance.now() - memory.lookedFullyAt < FULL_LOOK_MS) {
    return new Date(Math.min(memory.oldestDueAt.getTime(), now.getTime()) - OVERLAP_MS)
  }
  memory.lookedFullyAt = performance.now()
  return null
}

type Round = Parameters<DeliveryStorage['settleAndClaim']>[0]
type Claim = Awaited<ReturnType<DeliveryStorage['settleAndClaim']>>

interface RoundClaim extends Claim {
  /** The scan left nothing out. */
  readonly isAtTheEnd: boolean
}

/** An organization may always have this many. */
const FEW_PLACES = 4

function placesOf(underWay: ReadonlyMap<string, number> = new Map()) {
  const counted = [...underWay].filter(([, places]) => places >= FEW_PLACES)
  return { organizations: counted.map(([id]) => id), places: counted.map(([, places]) => places) }
}

/** The first row of a round, as JSON. */
interface FoundRound {
  readonly walked_to: string | null
  readonly is_long: boolean
  readonly first_due_at: string | null
  readonly is_more: boolean
  /** Whether an endpoint was skipped because its deliveries are catching up. */
  readonly is_catching_up: boolean
  readonly next_due_at: string | null
  readonly endpoints: readonly FoundEndpoint[]
}

interface FoundEndpoint {
  readonly id: string
  readonly url: string
  readonly version: number
  readonly secret_key_id: string
  /** In hex, like the next one. */
  readonly secret_ciphertext: string
  /** Set during the overlap of a rotation. */
  readonly previous_secret_key_id: string | null
  readonly previous_secret_ciphertext: string | null
  readonly headers_key_id: string | null
  readonly headers_ciphertext: string | null
}

/** The other rows. */
type DeliveryRow = Row<typeof DELIVERY_ROUND.columns>

function claimedOf(
  rows: readonly DeliveryRow[],
  found: readonly FoundEndpoint[],
  leased_at: Date,
): ClaimedDelivery[] {
  const endpoints = new Map(found.map((endpoint) => [endpoint.id, toEndpoint(endpoint)]))
  return rows.map((row) => {
    const endpoint = endpoints.get(row.endpoint_id)
    assert(endpoint !== undefined)
    const { id, organization_id, event_id, event_type, event_sequence, quotation_id, body } = row
    const { attempt, is_test } = row
    const event = { event_id, event_type, event_sequence, quotation_id, body }
    return { id, organization_id, ...event, attempt, leased_at, is_test, endpoint }
  })
}

function toEndpoint(found: FoundEndpoint): ClaimedDelivery['endpoint'] {
  const { id, url, version, secret_key_id, secret_ciphertext } = found
  return {
    id,
    url,
    secret: toSecret(secret_key_id, secret_ciphertext),
    previousSecret: toSecretOrNull(found.previous_secret_key_id, found.previous_secret_ciphertext),
    headers: toSecretOrNull(found.headers_key_id, found.headers_ciphertext),
    version,
  }
}

function toSecretOrNull(keyId: string | null, ciphertext: string | null): EncryptedSecret | null {
  return keyId === null || ciphertext === null ? null : toSecret(keyId, ciphertext)
}

function toSecret(keyId: string, ciphertext: string): EncryptedSecret {
  return { keyId, ciphertext: Buffer.from(ciphertext, 'hex') }
}

/** JSON has ISO 8601 times, whatever the session's settings. */
function fromIso(timestamp: string | null): Date | null {
  return timestamp === null ? null : new Date(timestamp)
}

/** An attempt in the form of `delivery_round`, without nulls. A spread would cost a worker 5 µs more per delivery. */
function toRecord(attempt: SettledAttempt): object {
  const { delivery } = attempt
  return {
    id: attempt.id,
    delivery_id: delivery.id,
    attempt: delivery.attempt,
    event_type: delivery.event_type,
    event_sequence: delivery.event_sequence ?? undefined,
    endpoint_version: delivery.endpoint.version,
    quotation_id: delivery.quotation_id ?? undefined,
    status: attempt.status,
    http_status: attempt.http_status ?? undefined,
    error: attempt.error ?? undefined,
    duration_ms: attempt.duration_ms,
    created_at: attempt.created_at,
    next_attempt_at: attempt.next_attempt_at ?? undefined,
    paused_until: attempt.paused_until ?? undefined,
    // The receiver that wants the pause.
    url: attempt.paused_until === null ? undefined : delivery.endpoint.url,
    response_body: attempt.response_body ?? undefined,
    header_names: attempt.header_names.length === 0 ? undefined : attempt.header_names,
    first_byte_ms: attempt.first_byte_ms ?? undefined,
  }
}
