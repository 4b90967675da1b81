import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import {
  CLAIM_WARNINGS,
  FORGET_WARNINGS,
  NOTE_EXPIRING_KEYS,
  NOTE_FAILING_ENDPOINTS,
  SETTLE_WARNING,
} from './warnings.sql.ts'

/** Exhausted deliveries are counted when their end is recorded. */
export function warningStorage({ run }: Database): Storage['warnings'] {
  return {
    async noteFailingEndpoints({ failingSince, stage, now }) {
      await run(NOTE_FAILING_ENDPOINTS, { failing_since: failingSince, stage, now })
    },

    async noteExpiringKeys({ days, now }) {
      await run(NOTE_EXPIRING_KEYS, { days, now })
    },

    async claim({ limit, now, leaseUntil }) {
      const claimed = await run(CLAIM_WARNINGS, { limit, now, lease_until: leaseUntil })
      return claimed.map(({ name, owner_id, masked_key, replaced_by, ...warning }) => ({
        ...warning,
        subject: name === null ? null : { name, owner_id, masked_key, replaced_by },
      }))
    },

    async settle({ id, attempt, retryAt }) {
      await run(SETTLE_WARNING, { id, attempt, retry_at: retryAt })
    },

    async forget(before) {
      await run(FORGET_WARNINGS, { before })
    },
  }
}
