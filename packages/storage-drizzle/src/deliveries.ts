import type { ClaimedDelivery, DeliveryStorage, EncryptedSecret, SettledAttempt } from '@quickquote/core'
import type { Database, Parameter } from './database.ts'
import {
  claimStatement,
  FIRST_UUID,
  releaseStatement,
  releaseUnknownStatement,
  SETTINGS,
  settleStatement,
} from './delivery-statements.ts'
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
    const parameters = [workerId, now, limit, perEndpoint]
    // Sent together, in one round trip. The claim begins when its endpoints are locked: what others claimed of them
    // before is in its snapshot, and nobody claims of them meanwhile. So `perEndpoint` holds exactly, over all workers.
    const [, , [lineUp], rows] = await leases.claiming(workerId, (held) =>
      database.transaction((transaction) =>
        Promise.all([
          transaction.run(SETTINGS),
          held && transaction.run(releaseUnknownStatement(schema), [workerId, held]),
          transaction.run<LineUp>(settleStatement(schema), [...parameters, cursor, ...columnsOf(settled)]),
          transaction.run<ClaimRow>(claimStatement(schema), parameters),
        ]),
      ),
    )
    const claimed = rows.flatMap(toClaimedDelivery)
    leases.remove(workerId, idsOf(settled.map(({ delivery }) => delivery)))
    leases.add(workerId, idsOf(claimed))
    const walkedTo = lineUp?.walked_to ?? null
    cursor = walkedTo ?? FIRST_UUID
    const isMore = walkedTo !== null || lineUp?.is_more === true || rows[0]?.is_more === true
    return { claimed, nextDueAt: isMore ? now : (rows[0]?.next_due_at ?? null) }
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
      const released = await database.run(releaseStatement(schema), [
        workerId,
        idsOf(deliveries),
        deliveries.map(({ attempt }) => attempt),
      ])
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

interface LineUp {
  readonly walked_to: string | null
  readonly is_more: boolean
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

/** One array for each column of the batch, in the order of the statement. */
function columnsOf(settled: readonly SettledAttempt[]): Parameter[] {
  return [
    settled.map(({ id }) => id),
    settled.map(({ delivery }) => delivery.id),
    settled.map(({ delivery }) => delivery.attempt),
    settled.map(({ status }) => status),
    settled.map(({ http_status }) => http_status),
    settled.map(({ error }) => error),
    settled.map(({ duration_ms }) => duration_ms),
    settled.map(({ created_at }) => created_at),
    settled.map(({ next_attempt_at }) => next_attempt_at),
    settled.map(({ delivery }) => delivery.event_type),
    settled.map(({ delivery }) => delivery.quotation_id),
    settled.map(({ response_body }) => response_body),
    settled.map(({ first_byte_ms }) => first_byte_ms),
  ]
}
