import type { EventStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { RECORD_EVENT } from './events.sql.ts'

/** See EventStorage. */
export function eventStorage({ run, wake }: Database): EventStorage {
  return {
    async record({ id, organization_id, type, quotation_id, body, created_at, generation_source, trace }) {
      const [recorded] = await run(RECORD_EVENT, {
        id,
        organization_id,
        type,
        quotation_id,
        body,
        created_at,
        generation_source,
        traceparent: trace?.traceparent ?? null,
        tracestate: trace?.tracestate ?? null,
      })
      if (recorded?.waiting) await wake()
    },
  }
}
