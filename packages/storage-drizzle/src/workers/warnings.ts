import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import {
  CLAIM_WARNINGS,
  FORGET_WARNINGS,
  NOTE_EXPIRING_KEYS,
  NOTE_FAILING_ENDPOINTS,
  RECORD_WARNING_CALL,
} from './warnings.sql.ts'

/** Exhausted deliveries are counted when their end is recorded. */
export function warningStorage({ call, run }: Database): Storage['warnings'] {
  return {
    noteFailingEndpoints: ({ failingSince, stage, now }) =>
      call('warnings.noteFailingEndpoints', async () => {
        await run(NOTE_FAILING_ENDPOINTS, { failing_since: failingSince, stage, now })
      }),

    noteExpiringKeys: ({ days, now }) =>
      call('warnings.noteExpiringKeys', async () => {
        await run(NOTE_EXPIRING_KEYS, { days, now })
      }),

    claim: ({ limit, now, leaseUntil }) =>
      call('warnings.claim', async () => {
        const claimed = await run(CLAIM_WARNINGS, { limit, now, lease_until: leaseUntil })
        return claimed.map(({ name, owner_id, masked_key, replaced_by, ...warning }) => ({
          ...warning,
          subject: name === null ? null : { name, owner_id, masked_key, replaced_by },
        }))
      }),

    recordCall: ({ id, attempt, retryAt }) =>
      call('warnings.recordCall', async () => {
        await run(RECORD_WARNING_CALL, { id, attempt, retry_at: retryAt })
      }),

    forget: (before) =>
      call('warnings.forget', async () => {
        await run(FORGET_WARNINGS, { before })
      }),
  }
}
