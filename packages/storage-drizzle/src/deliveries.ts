import type { ClaimedDelivery, DeliveryStorage, SettledAttempt } from '@quickquote/core'
import type { Database, Parameter } from './database.ts'
import { claimStatement, FIRST_UUID, SETTINGS, settleStatement } from './delivery-statements.ts'

/** The outbox as the workers see it: see DeliveryStorage. */
export function deliveryStorage(
  database: Database,
): Pick<DeliveryStorage, 'settleAndClaim' | 'releaseDeliveries'> {
  const { schema } = database
  /** Where the next walk over the endpoints begins. */
  let cursor = FIRST_UUID

  const claimRound: DeliveryStorage['settleAndClaim'] = async ({
    workerId,
    settled,
    limit,
    perEndpoint,
    now,
  }) => {
    const round = [workerId, now, limit, perEndpoint]
    // Sent together, in one round trip. The claim begins when its endpoints are locked: what others claimed of them
    // before is in its snapshot, and nobody claims of them meanwhile. So `perEndpoint` holds exactly, over all workers.
    const [, [lineUp], rows] = await database.transaction((transaction) =>
      Promise.all([
        transaction.run(SETTINGS),
        transaction.run<LineUp>(settleStatement(schema), [...round, cursor, ...columnsOf(settled)]),
        transaction.run<ClaimRow>(claimStatement(schema), round),
      ]),
    )
    const walkedTo = lineUp?.walked_to ?? null
    cursor = walkedTo ?? FIRST_UUID
    const isMore = walkedTo !== null || lineUp?.is_more === true || rows[0]?.is_more === true
    return {
      claimed: rows.flatMap(toClaimedDelivery),
      nextDueAt: isMore ? now : (rows[0]?.next_due_at ?? null),
    }
  }

  return {
    async settleAndClaim({ workerId, settled, limit, perEndpoint, now }) {
      let outcomes = settled
      let isWholeWalk = cursor === FIRST_UUID
      for (;;) {
        const round = await claimRound({ workerId, settled: outcomes, limit, perEndpoint, now })
        const isAtTheEnd = cursor === FIRST_UUID
        // A walk that was cut short, or began in the middle, and found nothing goes on until all endpoints were seen.
        if (round.claimed.length > 0 || (isAtTheEnd && isWholeWalk)) return round
        isWholeWalk ||= isAtTheEnd
        outcomes = []
      }
    },

    async releaseDeliveries(workerId, deliveries) {
      const released = await database.run(
        `update ${schema}.deliveries delivery set leased_by = null, leased_at = null, attempt = lease.attempt - 1
         from unnest($2::uuid[], $3::smallint[]) as lease (id, attempt)
         where delivery.id = lease.id and delivery.leased_by = $1 and delivery.attempt = lease.attempt
         returning 1 as released`,
        [workerId, deliveries.map(({ id }) => id), deliveries.map(({ attempt }) => attempt)],
      )
      if (released.length > 0) await database.wake()
    },
  }
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
    version: row.version,
  }
  return [{ id, organization_id, event_id, event_type, quotation_id, body, attempt, is_test, endpoint }]
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
  ]
}
