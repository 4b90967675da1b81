import assert from 'node:assert/strict'
import {
  type ClaimedDelivery,
  type DeliveryRound,
  type DeliveryRoundResult,
  FEW,
  MOST_OF_FREE,
  type SettledAttempt,
  type Storage,
} from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { encryptedSecret, toPreviousSecret } from '../endpoints/signing-secrets.ts'
import { CATCH_UP } from '../endpoints/webhook-endpoints.sql.ts'
import { FIRST_UUID } from '../ids.ts'
import {
  DELIVERY_ROUND,
  type FoundDelivery,
  type FoundEndpoint,
  RELEASE_DELIVERIES,
  RELEASE_NEXT,
  RELEASE_UNKNOWN_DELIVERIES,
} from './deliveries.sql.ts'
import { begin, FIRST_ROUND, next, type RoundState } from './look.ts'

/** Deliveries per transaction that follow a change of their endpoint. */
const CAUGHT_UP_AT_ONCE = 2000

export function deliveryStorage(database: Database): Storage['deliveries'] {
  const { call } = database

  return {
    round: (wanted) =>
      call('deliveries.round', async () => {
        const { workerId, held, offeredAt = null, limit } = wanted
        let { settled } = wanted
        let state = (wanted.memory?.state as RoundState | undefined) ?? FIRST_ROUND
        let sawAll = state.mode.kind !== 'walking'
        if (held !== undefined) {
          await database.run(RELEASE_UNKNOWN_DELIVERIES, { worker_id: workerId, held, offered_at: offeredAt })
        }
        for (;;) {
          const { isAtTheEnd, memory, ...result } = await round(database, { ...wanted, settled }, state)
          // A walk that stopped early or began in the middle, and found nothing, continues until it has seen all
          // endpoints.
          if (result.claimed.length > 0 || limit === 0 || (isAtTheEnd && sawAll)) return { ...result, memory }
          state = memory.state
          sawAll ||= isAtTheEnd
          settled = []
        }
      }),

    releaseWaiting: (now) =>
      call('deliveries.releaseWaiting', async () => {
        const released = await database.run(RELEASE_NEXT, { now })
        if (released.length > 0) await database.wake('deliveries')
      }),

    catchUp: (now, limit = CAUGHT_UP_AT_ONCE) =>
      call('deliveries.catchUp', async () => {
        const { state } = await database.one(CATCH_UP, { endpoint_id: null, now, limit })
        if (state === 'done') await database.wake('deliveries')
        return state === 'done' || state === 'more'
      }),

    release: (workerId, deliveries) =>
      call('deliveries.release', async () => {
        const released = await database.run(RELEASE_DELIVERIES, {
          worker_id: workerId,
          ids: deliveries.map(({ id }) => id),
          attempts: deliveries.map(({ attempt }) => attempt),
          due_at: deliveries.map(({ due_at }) => due_at ?? '-infinity'),
        })
        if (released.length > 0) await database.wake('anything')
      }),
  }
}

/** One call. */
async function round(
  database: Database,
  wanted: DeliveryRound,
  state: RoundState,
): Promise<DeliveryRoundResult & ReturnType<typeof next>> {
  const { limit, limits, leases, now } = wanted
  // With fewer, no organization is limited, because a claim has at least one place.
  const places = [...(wanted.underWay ?? [])].filter(([, taken]) => taken >= MOST_OF_FREE)
  const full = places
    .filter(([, taken]) => taken >= MOST_OF_FREE * limit)
    .map(([organization]) => organization)
  const begun = begin(state, { full, limit, now, time: performance.now() })
  const [found, ...deliveries] = await database.run(DELIVERY_ROUND, {
    worker_id: wanted.workerId,
    now,
    limit,
    per_endpoint: wanted.perEndpoint,
    limits: limits === undefined || limits.size === 0 ? null : toJson(limits),
    walk_after: state.mode.kind === 'walking' ? state.mode.after : FIRST_UUID,
    must_walk: state.expects === 'hidden',
    few: state.expects === 'few' ? FEW : null,
    due_after: begun.dueAfter,
    settled: JSON.stringify(wanted.settled.map(toRecord)),
    under_way: toJson(places),
    full,
    own_leases: leases === undefined ? null : toJson(leases),
  })
  assert(found !== undefined)
  const claimed = claimedOf(deliveries, found.endpoints ?? [], now)
  const after = next(begun, { claims: claimed.length, round: found })
  return { claimed, isCatchingUp: found.is_catching_up, isSlow: after.memory.state.isSlow, ...after }
}

function toJson(counts: Iterable<readonly [string, number]>): string {
  return JSON.stringify(Object.fromEntries(counts))
}

function claimedOf(
  deliveries: readonly FoundDelivery[],
  found: readonly FoundEndpoint[],
  leased_at: Date,
): ClaimedDelivery[] {
  const endpoints = new Map(found.map((endpoint) => [endpoint.id, toEndpoint(endpoint, leased_at)]))
  return deliveries.map((delivery) => {
    const endpoint = endpoints.get(delivery.endpoint_id)
    assert(endpoint !== undefined)
    const { id, organization_id, event_id, event_type, event_sequence, quotation_id, body } = delivery
    const { attempt, is_test, check_kind } = delivery
    const event = { event_id, event_type, event_sequence, quotation_id, body }
    return { id, organization_id, ...event, attempt, leased_at, is_test, check_kind, endpoint }
  })
}

export function toEndpoint(found: FoundEndpoint, at: Date): ClaimedDelivery['endpoint'] {
  const { id, url, version, secret_key_id, secret_ciphertext } = found
  return {
    id,
    url,
    secret: encryptedSecret(secret_key_id, secret_ciphertext),
    previousSecrets: found.previous_secrets.map(toPreviousSecret).filter(({ expires_at }) => expires_at > at),
    headers: encryptedSecret(found.headers_key_id, found.headers_ciphertext),
    version,
  }
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
    response_headers: attempt.response_headers ?? undefined,
    header_names: attempt.header_names.length === 0 ? undefined : attempt.header_names,
    first_byte_ms: attempt.first_byte_ms ?? undefined,
  }
}
