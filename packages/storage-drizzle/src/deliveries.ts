import type { ClaimedDelivery, DeliveryStorage, EncryptedSecret, SettledAttempt } from '@quickquote/core'
import type { Database } from './database.ts'
import { FIRST_UUID } from './delivery-statements.ts'
import { createHeldLeases } from './held-leases.ts'

/** The outbox as the workers see it: see DeliveryStorage. */
export function deliveryStorage(
  database: Database,
): Pick<DeliveryStorage, 'settleAndClaim' | 'releaseDeliveries'> {
  const { schema } = database
  /** Where the next walk over the endpoints begins. */
  let cursor = FIRST_UUID
  const leases = createHeldLeases()

  async function round({ workerId, settled, limit, perEndpoint, now }: Round): Promise<Claim> {
    const rows = await leases.claiming(workerId, async (held) => {
      if (held !== undefined) await releaseUnknown(workerId, held)
      return database.run<ClaimRow>(
        `select * from ${schema}.delivery_round($1, $2, $3, $4, $5, $6::text::json)`,
        [workerId, now, limit, perEndpoint, cursor, JSON.stringify(settled.map(toOutcome))],
      )
    })
    const claimed = rows.flatMap(toClaimedDelivery)
    leases.remove(workerId, idsOf(settled.map(({ delivery }) => delivery)))
    leases.add(workerId, idsOf(claimed))
    const [round] = rows
    const walkedTo = round?.walked_to ?? null
    cursor = walkedTo ?? FIRST_UUID
    const isMore = walkedTo !== null || round?.is_more === true
    return { claimed, nextDueAt: isMore ? now : (round?.next_due_at ?? null) }
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

interface ClaimRow extends Omit<ClaimedDelivery, 'endpoint' | 'id'> {
  /** Null in the one row of a round without a claim. */
  readonly id: string | null
  readonly endpoint_id: string
  readonly url: string
  readonly secret_key_id: string
  readonly secret_ciphertext: Uint8Array
  readonly previous_secret_key_id: string | null
  readonly previous_secret_ciphertext: Uint8Array | null
  readonly version: number
  /** These are the same in every row. */
  readonly walked_to: string | null
  readonly is_more: boolean
  readonly next_due_at: Date | null
}

function toClaimedDelivery(row: ClaimRow): ClaimedDelivery[] {
  if (row.id === null) return []
  const { id, organization_id, event_id, event_type, quotation_id, body, attempt, is_test } = row
  const endpoint = {
    id: row.endpoint_id,
    url: row.url,
    secret: { keyId: row.secret_key_id, ciphertext: row.secret_ciphertext },
    previousSecret: previousSecretOf(row),
    version: row.version,
  }
  return [{ id, organization_id, event_id, event_type, quotation_id, body, attempt, is_test, endpoint }]
}

/** The key id is there while the overlap of a rotation lasts. */
function previousSecretOf(row: ClaimRow): EncryptedSecret | null {
  const { previous_secret_key_id: keyId, previous_secret_ciphertext: ciphertext } = row
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
}

/** An outcome as `delivery_round` takes it. */
function toOutcome({ delivery, ...attempt }: SettledAttempt): object {
  const { id: delivery_id, attempt: number, event_type, quotation_id } = delivery
  return { ...attempt, delivery_id, attempt: number, event_type, quotation_id }
}
