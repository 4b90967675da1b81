import { invalidField } from '../lib/errors.ts'
import { Type } from '../lib/type.ts'
import { validate } from '../lib/validator.ts'
import { QUOTATION_DOMAIN } from '../model/event-catalog.ts'
import type { EventDataOf, EventDefinitions } from '../model/event-definition.ts'
import { OrganizationId } from '../model/ids.ts'
import type { Source } from '../model/quotation.ts'
import { createWebhookEvent, eventIdOf } from '../model/webhook-event.ts'
import type { Context } from '../settings.ts'

/** An event of the host's own. */
export interface EmittedEvent<Data> {
  /** A uuid. */
  readonly organizationId: string
  readonly data: Data
  /**
   * Selects endpoints by trigger mode, like the source of a quote: `ui` reaches only endpoints with `always`. Default
   * `api_key`: all subscribed endpoints.
   */
  readonly generationSource?: Source
}

export interface Emitter<Events extends EventDefinitions> {
  /**
   * Sends an event declared by the host to its subscribed endpoints. Once this resolves, the event and its deliveries
   * are committed, or are part of the transaction of `within`. Quotation events come only from the reporter.
   * @returns the event id that receivers see (`evt_…`)
   * @throws IntegrationError VALIDATION_FAILED for an undeclared type, for data that does not match its schema, or for
   * a body of more than 64 KiB. `errors` names the fields. Nothing is written.
   */
  emit<Type extends keyof Events & string>(
    type: Type,
    event: EmittedEvent<EventDataOf<Events, Type>>,
  ): Promise<string>
}

/** The catalog validates the rest. */
const Owner = Type.Object({ organization_id: OrganizationId })

export function createEmitter({ storage, settings }: Context<'events'>): Emitter<EventDefinitions> {
  return {
    async emit(type, { organizationId, data, generationSource = 'api_key' }) {
      if (type.startsWith(QUOTATION_DOMAIN)) {
        throw invalidField('/type', 'is emitted only by reports: use integrations.pipeline(id)')
      }
      validate(Owner, { organization_id: organizationId })
      await settings.clock.ready()
      const event = createWebhookEvent(settings.events, {
        type,
        organizationId: organizationId.toLowerCase(),
        generationSource,
        data,
        now: settings.now(),
      })
      await storage.events.record(event)
      return eventIdOf(event.id)
    },
  }
}
