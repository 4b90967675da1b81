import type { ClaimedDelivery, RecordedEvent, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Parameters } from '../connection/run.ts'
import type { Row } from '../connection/statement.ts'
import { isRefusedRow } from '../connection/storage-error.ts'
import { toEndpoint } from './deliveries.ts'
import { RECORD_EVENT } from './events.sql.ts'

export function eventStorage(database: Database): Storage['events'] {
  const { call } = database

  return {
    record: (event) => call('events.record', () => recordEvent(database, RECORD_EVENT, event)),
  }
}

/**
 * @param statement of `recordingWith`
 * @param parameters of its changes
 */
export async function recordEvent(
  { one, announce, offer }: Database,
  statement: typeof RECORD_EVENT,
  event: RecordedEvent,
  parameters: Parameters = {},
): Promise<void> {
  const { channel, made } = announce('deliveries')
  const places = offer(event.organization_id)
  const offered = {
    places: places?.count ?? 0,
    worker_id: places?.workerId ?? null,
    leased_at: places?.at ?? null,
    per_endpoint: places?.perEndpoint ?? null,
  }
  const all = Object.assign(eventParameters(event), parameters, offered, { channel })
  const recorded = await one(statement, all).catch((error) => {
    places?.end(isRefusedRow(error) ? [] : 'unknown')
    throw error
  })
  places?.end(leasedOf(event, recorded, places.at))
  if (recorded.waiting) await made()
}

function leasedOf(
  { id: event_id, organization_id, type: event_type, quotation_id, body }: RecordedEvent,
  { leased, sequence: event_sequence }: Row<typeof RECORD_EVENT.columns>,
  leased_at: Date,
): ClaimedDelivery[] {
  const event = { organization_id, event_id, event_type, event_sequence, quotation_id, body }
  return leased.map(({ id, endpoint }) => ({
    id,
    ...event,
    attempt: 1,
    leased_at,
    is_test: false,
    check_kind: null,
    endpoint: toEndpoint(endpoint, leased_at),
  }))
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
