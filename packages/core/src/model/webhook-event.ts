import { invalidField } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { isUuid } from '../lib/tenancy.ts'
import { activeTraceContext, type TraceContext } from '../lib/trace-context.ts'
import type { EventCatalog } from './event-catalog.ts'
import type { Source } from './quotation.ts'

/** A recorded event. The body is serialized once, and every attempt sends these bytes. */
export interface RecordedEvent {
  /** The uuid behind `evt_`. Version 7: it contains the time of the event. */
  readonly id: string
  readonly organization_id: string
  readonly type: string
  readonly quotation_id: string | null
  /** Selects endpoints, together with their trigger mode. */
  readonly generation_source: Source
  readonly created_at: Date
  readonly body: string
  /** The trace of its delivery attempts. */
  readonly trace: TraceContext | null
}

const EVENT_PREFIX = 'evt_'

/** The public id of an event. */
export function eventIdOf(uuid: string): string {
  return EVENT_PREFIX + uuid
}

/** The uuid of a public id, or null if it is none. */
export function uuidOfEvent(id: string): string | null {
  const uuid = id.startsWith(EVENT_PREFIX) ? id.slice(EVENT_PREFIX.length) : ''
  return isUuid(uuid) ? uuid : null
}

export interface NewEvent {
  readonly type: string
  readonly organizationId: string
  readonly generationSource: Source
  /** Its `quotation_id`, if any, appears in the delivery log. */
  readonly data: unknown
  readonly now: Date
  /** The trace if no span is active. */
  readonly trace?: TraceContext | null
}

/** The maximum size of a whole event: every receiver has to accept it. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Creates the event and its bytes, validated against the catalog.
 * @throws IntegrationError VALIDATION_FAILED if it does not match the catalog or exceeds 64 KiB
 */
export function createWebhookEvent(catalog: EventCatalog, event: NewEvent): RecordedEvent {
  const id = newId(event.now)
  const checked = catalog.checked({
    id: eventIdOf(id),
    type: event.type,
    created_at: event.now,
    organization_id: event.organizationId,
    data: event.data,
  })
  const body = JSON.stringify(checked)
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalidField('/data', `must be at most ${MAX_BODY_BYTES} bytes of JSON`)
  }
  return {
    id,
    organization_id: event.organizationId,
    type: event.type,
    quotation_id: quotationOf(checked.data),
    generation_source: event.generationSource,
    created_at: event.now,
    body,
    trace: activeTraceContext() ?? event.trace ?? null,
  }
}

function quotationOf({ quotation_id }: { readonly quotation_id?: unknown }): string | null {
  return typeof quotation_id === 'string' && isUuid(quotation_id) ? quotation_id : null
}
