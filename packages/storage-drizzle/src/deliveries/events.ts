import type { RecordedEvent, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Parameters } from '../connection/run.ts'
import { RECORD_EVENT } from './events.sql.ts'

export function eventStorage({ one, wake }: Database): Storage['events'] {
  return {
    async record(event) {
      const { waiting } = await one(RECORD_EVENT, eventParameters(event))
      if (waiting) await wake()
    },
  }
}

/** The parameters of statements that insert an event. */
export function eventParameters(event: RecordedEvent): Parameters {
  const { id, organization_id, type, quotation_id, body, created_at, generation_source, trace } = event
  return {
    id,
    organization_id,
    type,
    quotation_id,
    body,
    created_at,
    generation_source,
    traceparent: trace?.traceparent ?? null,
    tracestate: trace?.tracestate ?? null,
  }
}
