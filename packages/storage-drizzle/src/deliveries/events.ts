import type { RecordedEvent, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Parameters } from '../connection/run.ts'
import { RECORD_EVENT } from './events.sql.ts'

export function eventStorage(database: Database): Storage['events'] {
  const { call } = database

  return {
    record: (event) =>
      call('events.record', () => recordEvent(database, RECORD_EVENT, eventParameters(event))),
  }
}

/** @param statement of `recordingWith` */
export async function recordEvent(
  { one, announce }: Database,
  statement: typeof RECORD_EVENT,
  parameters: Parameters,
): Promise<void> {
  const { channel, made } = announce('deliveries')
  const { waiting } = await one(statement, Object.assign(parameters, { channel }))
  if (waiting) await made()
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
