import { Type } from '@sinclair/typebox'
import { validationFailed } from '../lib/errors.ts'
import { validate } from '../lib/validator.ts'
import { QUOTATION_DOMAIN } from '../model/event-catalog.ts'
import type { EventDataOf, EventDefinitions } from '../model/event-definition.ts'
import { OrganizationId } from '../model/ids.ts'
import type { Source } from '../model/quotation.ts'
import { createWebhookEvent, eventIdOf } from '../model/webhook-event.ts'
import type { Settings } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'

/** What a host tells about an event of its own. */
export interface EmittedEvent<Data> {
  /** A uuid. */
  readonly organizationId: string
  readonly data: Data
  /**
   * Decides which trigger modes are notified, as the source of a quote does: `ui` reaches endpoints with `always` alone.
   * Default `api_key`: every endpoint that subscribes.
   */
  readonly generationSource?: Source
}

export interface Emitter<Events extends EventDefinitions> {
  /**
   * Sends an event that the host declared to the endpoints that subscribe to it: when this resolves, the event and its
   * deliveries are committed, or part of the transaction of `within`. Events of quotations come from the reporter alone.
   * @returns the event id that receivers see (`evt_…`)
   * @throws IntegrationError VALIDATION_FAILED for a type that was not declared, and for data that is not what its schema
   * says or makes a body of more than 64 KiB. `errors` names the fields; nothing was written.
   */
  emit<Type extends keyof Events & string>(
    type: Type,
    event: EmittedEvent<EventDataOf<Events, Type>>,
  ): Promise<string>
}

/** Of the envelope: the catalog checks the rest. */
const Owner = Type.Object({ organization_id: OrganizationId })

export function createEmitter(storage: Storage, { events, now }: Settings): Emitter<EventDefinitions> {
  return { emit }

  async function emit(
    type: string,
    { organizationId, data, generationSource = 'api_key' }: EmittedEvent<unknown>,
  ): Promise<string> {
    if (type.startsWith(QUOTATION_DOMAIN)) {
      throw validationFailed([
        { pointer: '/type', detail: 'belongs to the reporter: see integrations.pipeline(id)' },
      ])
    }
    validate(Owner, { organization_id: organizationId })
    const event = createWebhookEvent(events, {
      type,
      organizationId: organizationId.toLowerCase(),
      generationSource,
      data,
      now: now(),
    })
    await storage.events.record(event)
    return eventIdOf(event.id)
  }
}
