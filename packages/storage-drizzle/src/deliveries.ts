import type { ClaimedDelivery, DeliveryStorage, EncryptedSecret, SettledAttempt } from '@quickquote/core'
import type { Database } from './database.ts'
import { FIRST_UUID } from './delivery-statements.ts'
import { createHeldLeases } from './held-leases.ts'

/**
 * While a backlog is drained, rounds begin to look here, just before the oldest delivery that the last one saw: before
 * that there may be nothing but entries of deliveries that are gone. What is committed late is younger than this, mostly.
 */
const OVERLAP_MS = 1000

/** So often a round looks from the very beginning all the same. */
const FULL_LOOK_MS = 1000

/** A claim of fewer drains no backlog. */
const LARGE_CLAIM = 64

/** The outbox as the workers see it: see DeliveryStorage. */
export function deliveryStorage(
  database: Database,
): Pick<DeliveryStorage, 'settleAndClaim' | 'releaseDeliveries'> {
  const { schema } = database
  const leases = createHeldLeases()
  /** Where the next walk over the endpoints begins. */
  let cursor = FIRST_UUID
  /** There are more due deliveries than the last round looked at, and it has not found enough of them. */
  let isShort = false
  let dueAfter: Date | null = null
  let lookedFullyAt = Number.NEGATIVE_INFINITY

  /** null: from the beginning. */
  function beginning(now: Date): Date | null {
    const isFull = dueAfter === null || performance.now() - lookedFullyAt > FULL_LOOK_MS
    if (isFull) lookedFullyAt = performance.now()
    return isFull || dueAfter === null ? null : new Date(Math.min(dueAfter.getTime(), now.getTime()) - OVERLAP_MS)
  }

  async function round({ workerId, settled, limit, perEndpoint, now }: Round): Promise<Claim> {
    const rows = await leases.claiming(workerId, async (held) => {
      if (held !== undefined) await releaseUnknown(workerId, held)
      return database.run<RoundRow | ClaimRow>(
        `select * from ${schema}.delivery_round($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, '-infinity'), $8::text::json)`,
        [
          workerId,
          now,
          limit,
          perEndpoint,
          cursor,
          isShort,
          beginning(now),
          JSON.stringify(settled.map(toOutcome)),
        ],
      )
    })
    const [found, ...claimedRows] = rows as [RoundRow, ...ClaimRow[]]
    const claimed = claimedRows.map(toClaimedDelivery)
    leases.remove(workerId, idsOf(settled.map(({ delivery }) => delivery)))
    leases.add(workerId, idsOf(claimed))
    cursor = found.walked_to ?? FIRST_UUID
    isShort = found.is_long && claimed.length < limit
    dueAfter = limit >= LARGE_CLAIM && claimed.length === limit ? found.first_due_at : null
    const isMore = found.walked_to !== null || found.is_more
    return { claimed, nextDueAt: isMore ? now : found.next_due_at }
  }

  async function releaseUnknown(workerId: string, held: readonly string[]): Promise<void> {
    await database.run(
      `update ${schema}.deliveries set leased_by = null, leased_at = null, attempt = attempt - 1
       where leased_by = $1 and id <> all ($2::uuid[])`,
      [workerId, held],
    )
  }

  return {
    async settleAndClaim(wanted) {
      let settled = wanted.settled
      let sawAll = cursor === FIRST_UUID
      for (;;) {
        const claim = await round({ ...wanted, settled })
        const isAtTheEnd = cursor === FIRST_UUID
        // A walk that was cut short, or began in the middle, and found nothing goes on until all endpoints were seen.
        if (claim.claimed.length > 0 || wanted.limit === 0 || (isAtTheEnd && sawAll)) return claim
        sawAll ||= isAtTheEnd
        settled = []
      }
    },

    async releaseDeliveries(workerId, deliveries) {
      const released = await database.run(
        `update ${schema}.deliveries delivery set leased_by = null, leased_at = null, attempt = lease.attempt - 1
         from unnest($2::uuid[], $3::smallint[]) as lease (id, attempt)
         where delivery.id = lease.id and delivery.leased_by = $1 and delivery.attempt = lease.attempt
         returning 1 as released`,
        [workerId, idsOf(deliveries), deliveries.map(({ attempt }) => attempt)],
      )
      leases.remove(workerId, idsOf(deliveries))
      if (released.length > 0) await database.wake()
    },
  }
}

type Round = Parameters<DeliveryStorage['settleAndClaim']>[0]
type Claim = Awaited<ReturnType<DeliveryStorage['settleAndClaim']>>

function idsOf(deliveries: readonly { readonly id: string }[]): string[] {
  return deliveries.map(({ id }) => id)
}

/** The first row of a round. */
interface RoundRow {
  readonly walked_to: string | null
  readonly is_long: boolean
  readonly first_due_at: Date | null
  readonly is_more: boolean
  readonly next_due_at: Date | null
}

interface ClaimRow extends Omit<ClaimedDelivery, 'endpoint'> {
  readonly endpoint_id: string
  readonly url: string
  readonly secret_key_id: string
  readonly secret_ciphertext: Uint8Array
  readonly previous_secret_key_id: string | null
  readonly previous_secret_ciphertext: Uint8Array | null
  readonly version: number
}

function toClaimedDelivery(row: ClaimRow): ClaimedDelivery {
  const { id, organization_id, event_id, event_type, quotation_id, body, attempt, is_test } = row
  const endpoint = {
    id: row.endpoint_id,
    url: row.url,
    secret: { keyId: row.secret_key_id, ciphertext: row.secret_ciphertext },
    previousSecret: previousSecretOf(row),
    version: row.version,
  }
  return { id, organization_id, event_id, event_type, quotation_id, body, attempt, is_test, endpoint }
}

/** The key id is there while the overlap of a rotation lasts. */
function previousSecretOf(row: ClaimRow): EncryptedSecret | null {
  const { previous_secret_key_id: keyId, previous_secret_ciphertext: ciphertext } = row
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
}

/** An outcome as `delivery_round` takes it. What is not there is null. */
function toOutcome({ delivery, error, next_attempt_at, ...attempt }: SettledAttempt): object {
  return {
    id: attempt.id,
    delivery_id: delivery.id,
    attempt: delivery.attempt,
    event_type: delivery.event_type,
    quotation_id: delivery.quotation_id ?? undefined,
    status: attempt.status,
    http_status: attempt.http_status ?? undefined,
    error: error ?? undefined,
    duration_ms: attempt.duration_ms,
    created_at: attempt.created_at,
    next_attempt_at: next_attempt_at ?? undefined,
    response_body: attempt.response_body ?? undefined,
    first_byte_ms: attempt.first_byte_ms ?? undefined,
  }
}
