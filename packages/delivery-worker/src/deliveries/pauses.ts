import type { ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { remember } from '../lib/remember.ts'

/** The pauses that receivers asked this process for. The database has those of all, and claims obey them. */
export interface Pauses {
  note(attempt: SettledAttempt): void
  /** Whether a delivery may begin: not if it was claimed before the end of a pause. Tests always may. */
  allow(delivery: ClaimedDelivery): boolean
}

/** The oldest are forgotten: deliveries claimed before them have begun. */
const MAX_KEPT = 10_000

/** For deliveries that were claimed before a pause and wait for a socket. */
export function createPauses(): Pauses {
  const until = new Map<string, Date>()
  return {
    note({ delivery, paused_until }) {
      if (paused_until === null) return
      const key = receiverOf(delivery)
      const known = until.get(key)
      remember(until, key, known !== undefined && known > paused_until ? known : paused_until, MAX_KEPT)
    },
    allow(delivery) {
      const pausedUntil = until.get(receiverOf(delivery))
      return delivery.is_test || pausedUntil === undefined || delivery.leased_at >= pausedUntil
    },
  }
}

/** A pause is of a receiver: the endpoint may move to another. */
function receiverOf({ endpoint: { id, url } }: ClaimedDelivery): string {
  return `${id} ${url}`
}
