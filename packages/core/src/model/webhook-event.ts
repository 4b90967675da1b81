import { validationFailed } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { isUuid } from '../lib/tenancy.ts'
import { activeTraceContext, type TraceContext } from '../lib/trace-context.ts'
import type { EventCatalog } from './event-catalog.ts'
import type { Source } from './quotation.ts'

/** An event as it is recorded: the body is serialized here, once, and every attempt to every endpoint sends these bytes. */
export interface RecordedEvent {
  /** The uuid behind `evt_`. Version 7: it tells the day of the event. */
  readonly id: string
  readonly organization_id: string
  readonly type: string
  readonly quotation_id: string | null
  /** Decides, with the trigger mode, which endpoints are notified. */
  readonly generation_source: Source
  readonly created_at: Date
  readonly body: string
  /** What the attempts to deliver it belong to. */
  readonly trace: TraceContext | null
}

/** The id of an event as receivers see it. */
export function eventIdOf(uuid: string): string {
  return `evt_${uuid}`
}

/** What happened, and to whom. */
export interface NewEvent {
  readonly type: string
  readonly organizationId: string
  readonly generationSource: Source
  /** Its `quotation_id`, where it has one, is the quotation that the delivery log names. */
  readonly data: unknown
  readonly now: Date
  /** What it belongs to where no span is active. */
  readonly trace?: TraceContext | null
}

/** Bytes of a whole event: bodies are lean, and every receiver has to take them. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Makes the event and its bytes. They are held to the schema that the catalog documents.
 * @throws IntegrationError VALIDATION_FAILED when it is not what the catalog says, or longer than 64 KiB
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
    throw validationFailed([{ pointer: '/data', detail: `must be at most ${MAX_BODY_BYTES} bytes of JSON` }])
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
