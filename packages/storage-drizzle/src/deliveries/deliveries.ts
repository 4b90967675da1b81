import assert from 'node:assert/strict'
import {
  type ClaimedDelivery,
  type DeliveryRound,
  type DeliveryRoundResult,
  FEW,
  MOST_OF_FREE,
  type RoundMemory,
  type SettledAttempt,
  type Storage,
} from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Row } from '../connection/statement.ts'
import { encryptedSecret, toPreviousSecret } from '../endpoints/signing-secrets.ts'
import { CATCH_UP } from '../endpoints/webhook-endpoints.sql.ts'
import { FIRST_UUID } from '../ids.ts'
import {
  DELIVERY_ROUND,
  type FoundEndpoint,
  type FoundRound,
  RELEASE_DELIVERIES,
  RELEASE_NEXT,
  RELEASE_UNKNOWN_DELIVERIES,
} from './deliveries.sql.ts'

/**
 * While draining a backlog, a round starts where the previous one found the first delivery that it could have claimed:
 * before that, the index holds dead entries, and deliveries of organizations that have too many in flight. It always
 * looks at the last second, for late commits. From time to time, and whenever a round would claim little, or one of
 * those organizations has places again, it scans everything.
 */
const OVERLAP_MS = 1000
const FULL_LOOK_MS = 1000

/**
 * A scan of more index entries is slow: a long transaction has blocked vacuum for a while. Then small claims, too, start
 * where the previous round did, and the next full scan comes later the longer the last one was. It takes 5 % of a
 * worker's time at most, if an entry takes 0.25 µs.
 */
const SLOW_LOOK_ENTRIES = 10_000
const FULL_LOOK_MS_PER_ENTRY = 0.005

/** Deliveries per transaction that follow a change of their endpoint. */
const CAUGHT_UP_AT_ONCE = 2000

/** A smaller claim is not a backlog. */
const LARGE_CLAIM = 64

export function deliveryStorage(database: Database): Storage['deliveries'] {
  const { call } = database

  return {
    round: (wanted) =>
      call('deliveries.round', async () => {
        const { workerId, held, offeredAt = null, limit } = wanted
        let { settled, memory = NO_MEMORY } = wanted
        let sawAll = memory.walkAfter === null
        if (held !== undefined) {
          await database.run(RELEASE_UNKNOWN_DELIVERIES, { worker_id: workerId, held, offered_at: offeredAt })
        }
        for (;;) {
          const { isAtTheEnd, ...result } = await round(database, { ...wanted, settled, memory })
          // A walk that stopped early or began in the middle, and found nothing, continues until it has seen all
          // endpoints.
          if (result.claimed.length > 0 || limit === 0 || (isAtTheEnd && sawAll)) return result
          sawAll ||= isAtTheEnd
          settled = []
          memory = result.memory
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

/** For a worker's first round. */
const NO_MEMORY: RoundMemory = {
  walkAfter: null,
  isShort: false,
  wasFew: true,
  examinedTo: null,
  passedOver: [],
  looksFullyAt: Number.NEGATIVE_INFINITY,
  looksAreSlow: false,
}

/** One call. `isAtTheEnd`: the scan left nothing out. */
async function round(
  database: Database,
  {
    workerId,
    settled,
    limit,
    perEndpoint,
    limits,
    underWay,
    leases,
    memory,
    now,
  }: DeliveryRound & { readonly memory: RoundMemory },
): Promise<DeliveryRoundResult & { readonly isAtTheEnd: boolean }> {
  const begun = performance.now()
  // With fewer, no organization is limited, because a claim has at least one place.
  const places = [...(underWay ?? [])].filter(([, taken]) => taken >= MOST_OF_FREE)
  const full = places
    .filter(([, taken]) => taken >= MOST_OF_FREE * limit)
    .map(([organization]) => organization)
  const isStillFull = memory.passedOver.every((organization) => full.includes(organization))
  const after = isStillFull ? dueAfter(memory, now, begun) : null
  const [first, ...deliveries] = await database.run(DELIVERY_ROUND, {
    worker_id: workerId,
    now,
    limit,
    per_endpoint: perEndpoint,
    limits: limits === undefined || limits.size === 0 ? null : toJson(limits),
    walk_after: memory.walkAfter ?? FIRST_UUID,
    must_walk: memory.isShort,
    expects_few: memory.wasFew && !memory.isShort,
    due_after: after,
    settled: JSON.stringify(settled.map(toRecord)),
    under_way: toJson(places),
    own_leases: leases === undefined ? null : toJson(leases),
  })
  const found = first?.round
  assert(found !== undefined)
  const claimed = claimedOf(deliveries, found, now)
  const looks = after === null ? looksAfter(found.entries_read, begun) : memory
  const { looksFullyAt, looksAreSlow } = looks
  const isBacklog = claimed.length >= Math.max(LARGE_CLAIM, limit / 2)
  const isPassing = after !== null && memory.passedOver.length > 0
  const passesOver = !isBacklog && full.length > 0 && (found.is_long || isPassing)
  const mayWait = looksAreSlow || passesOver
  const sawAllAhead = after === null || claimed.length === limit
  const isMore = found.is_more || found.walked_to !== null || !(sawAllAhead || mayWait)
  const nextDueAt = isMore ? now : fromIso(found.next_due_at)
  const nextLookAt = new Date(now.getTime() + looksFullyAt - begun)
  return {
    claimed,
    nextDueAt: sawAllAhead || (nextDueAt !== null && nextDueAt < nextLookAt) ? nextDueAt : nextLookAt,
    isCatchingUp: found.is_catching_up,
    isSlow: looksAreSlow,
    memory:
      limit === 0
        ? memory
        : {
            walkAfter: found.walked_to,
            isShort: found.is_long && claimed.length < limit / 2,
            wasFew: claimed.length <= FEW,
            ...(passesOver
              ? { examinedTo: passedTo(found, isStillFull ? memory : NO_MEMORY, now), passedOver: full }
              : {
                  examinedTo: isBacklog || looksAreSlow ? (fromIso(found.first_due_at) ?? now) : null,
                  passedOver: isPassing ? memory.passedOver : [],
                }),
            looksFullyAt,
            looksAreSlow,
          },
    isAtTheEnd: found.walked_to === null && (sawAllAhead || mayWait),
  }
}

/** Where a round starts to scan; null: at the beginning. */
function dueAfter({ examinedTo, looksFullyAt }: RoundMemory, now: Date, time: number): Date | null {
  if (examinedTo === null || time >= looksFullyAt) return null
  // The scan begins after this time, which has no microseconds.
  return new Date(Math.min(examinedTo.getTime() - 1, now.getTime() - OVERLAP_MS))
}

/** A look that met only deliveries to pass over continues where the looks before it ended. */
function passedTo(
  { first_open_at, last_due_at, is_long }: FoundRound,
  { examinedTo }: RoundMemory,
  now: Date,
): Date {
  const firstOpenAt = fromIso(first_open_at)
  if (firstOpenAt !== null) return firstOpenAt
  const last = (is_long ? fromIso(last_due_at) : null) ?? now
  return examinedTo !== null && examinedTo > last ? examinedTo : last
}

function looksAfter(entriesRead: number, time: number): Pick<RoundMemory, 'looksFullyAt' | 'looksAreSlow'> {
  return {
    looksFullyAt: time + Math.max(FULL_LOOK_MS, entriesRead * FULL_LOOK_MS_PER_ENTRY),
    looksAreSlow: entriesRead > SLOW_LOOK_ENTRIES,
  }
}

function toJson(counts: Iterable<readonly [string, number]>): string {
  return JSON.stringify(Object.fromEntries(counts))
}

function claimedOf(
  rows: readonly Row<typeof DELIVERY_ROUND.columns>[],
  found: Pick<FoundRound, 'endpoints' | 'check_kinds'>,
  leased_at: Date,
): ClaimedDelivery[] {
  const endpoints = new Map(
    found.endpoints?.map((endpoint) => [endpoint.id, toEndpoint(endpoint, leased_at)]),
  )
  return rows.map((row) => {
    const endpoint = endpoints.get(row.endpoint_id)
    assert(endpoint !== undefined)
    const { id, organization_id, event_id, event_type, event_sequence, quotation_id, body } = row
    const { attempt, is_test } = row
    const event = { event_id, event_type, event_sequence, quotation_id, body }
    const check_kind = found.check_kinds?.[id] ?? null
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
    response_headers: attempt.response_headers ?? undefined,
    header_names: attempt.header_names.length === 0 ? undefined : attempt.header_names,
    first_byte_ms: attempt.first_byte_ms ?? undefined,
  }
}
