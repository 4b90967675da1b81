import type { Static } from '@sinclair/typebox'
import { ConfigurationError, IntegrationError } from '../lib/errors.ts'
import { described, OneOf, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { validate } from '../lib/validator.ts'
import type { EventDefinition, EventDefinitions } from './event-definition.ts'
import { QUOTATION_EVENTS } from './quotation-events.ts'

/** The envelope of all events (specification, "Payload"). `data` depends on the event type. */
export const WebhookEvent = Type.Object(
  {
    id: Type.String({
      pattern: '^evt_[0-9a-f-]{36}$',
      description: 'Unique per event. Use it to deduplicate.',
    }),
    type: Type.String({ description: 'An event type of the catalog.' }),
    created_at: described(Timestamp, 'The time of the event.'),
    organization_id: described(Uuid, 'The organization of the event.'),
    data: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'The data of the event. Its fields depend on the type.',
    }),
  },
  { title: 'WebhookEvent' },
)
export type WebhookEvent = Static<typeof WebhookEvent>

/** An event type, with an example of its webhook body. */
export const CatalogEntry = Type.Object(
  {
    type: Type.String(),
    description: Type.String(),
    example: WebhookEvent,
    source_addresses: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Addresses and CIDRs that webhooks come from, for your firewall. Absent if the service does not publish them.',
      }),
    ),
  },
  { title: 'CatalogEntry' },
)
export type CatalogEntry = Static<typeof CatalogEntry>

/** All event types: those of the specification, and the host's. */
export interface EventCatalog {
  readonly types: readonly string[]
  /** @throws IntegrationError VALIDATION_FAILED for an unknown type */
  definitionOf(type: string): EventDefinition
  /**
   * Validates an event and fills in defaults.
   * @throws IntegrationError VALIDATION_FAILED, with the invalid fields of the envelope and of `data`
   */
  checked(envelope: Omit<WebhookEvent, 'data'> & { readonly data: unknown }): WebhookEvent
}

/** The prefix of the specification's events. Only the reporter emits them. */
export const QUOTATION_DOMAIN = 'quotation.'

/** `project.created`: lower-case letters, digits and `_`, because types are used in headers and operation ids. */
const EVENT_TYPE = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/
const MAX_TYPE_LENGTH = 100

/**
 * Adds the host's events to ours.
 * @throws ConfigurationError for a reserved or invalid name, a schema that cannot be compiled, or an example that does
 * not match it
 */
export function createEventCatalog(ofHost: EventDefinitions = {}): EventCatalog {
  for (const [type, definition] of Object.entries(ofHost)) checkName(type, definition)
  const entries = new Map([...QUOTATION_ENTRIES, ...entriesOf(ofHost)])
  const entryOf = (type: string) => {
    const entry = entries.get(type)
    if (entry === undefined) throw refused(type, '/type', 'is not in the event catalog')
    return entry
  }

  const catalog: EventCatalog = {
    types: [...entries.keys()],
    definitionOf: (type) => entryOf(type).definition,
    checked(envelope) {
      const { type } = envelope
      const { schema } = entryOf(type)
      const json = toJson(envelope)
      if (json === undefined) throw refused(type, '/data', 'cannot be serialized as JSON')
      try {
        return { ...validate(schema, json), created_at: envelope.created_at }
      } catch (error) {
        if (!(error instanceof IntegrationError)) throw error
        throw new IntegrationError('VALIDATION_FAILED', `${type}: ${error.message}`, { errors: error.errors })
      }
    },
  }
  for (const [type, { example }] of Object.entries(ofHost)) checkExample(catalog, type, example)
  return catalog
}

/** Shared by all catalogs: a schema is compiled once in a process. */
const QUOTATION_ENTRIES = entriesOf(QUOTATION_EVENTS)

/** The definitions, each with the schema of its whole events. */
function entriesOf(definitions: EventDefinitions) {
  return Object.entries(definitions).map(([type, definition]) => {
    const data = Type.Unsafe<WebhookEvent['data']>(definition.data)
    const schema = Type.Object({ ...WebhookEvent.properties, type: OneOf([type]), data })
    return [type, { definition, schema }] as const
  })
}

function checkName(type: string, definition: EventDefinition): void {
  if (type.startsWith(QUOTATION_DOMAIN)) {
    throw wrong(type, `${QUOTATION_DOMAIN}* events are built in. Choose another name.`)
  }
  if (!EVENT_TYPE.test(type) || type.length > MAX_TYPE_LENGTH) {
    throw wrong(
      type,
      `a name looks like project.created: lower-case letters, digits and _, with at least one dot and at most ${MAX_TYPE_LENGTH} characters.`,
    )
  }
  if (typeof definition?.description !== 'string' || definition.description === '') {
    throw wrong(type, 'description is missing: say in one sentence when the event is sent.')
  }
  if (typeof definition.data !== 'object' || definition.data === null) {
    throw wrong(type, 'data is missing: pass the JSON Schema of the payload, such as Type.Object({ … }).')
  }
  if (definition.data['type'] !== 'object') {
    throw wrong(type, "data must be the schema of an object (type: 'object').")
  }
}

function checkExample(catalog: EventCatalog, type: string, data: unknown): void {
  try {
    catalog.checked({ ...SAMPLE, type, organization_id: SAMPLE_ORGANIZATION, data })
  } catch (error) {
    if (error instanceof IntegrationError) {
      const reasons = error.errors.map(
        ({ pointer, detail }) => `${pointer.replace(/^\/data/, 'example')} ${detail}`,
      )
      throw wrong(type, `${reasons.join('; ')}. The example must match the schema.`)
    }
    throw wrong(type, `data is not a usable JSON Schema: ${(error as Error).message}.`)
  }
}

const SAMPLE = {
  id: 'evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6',
  created_at: new Date('2026-11-21T10:09:41.250Z'),
}
const SAMPLE_ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'

/**
 * The catalog for an organization (specification, `GET /events`): examples carry its own id and sample ids.
 * @param sourceAddresses the addresses that events are sent from, if the host has configured them
 */
export function eventCatalogOf(
  catalog: EventCatalog,
  organizationId: string,
  sourceAddresses: readonly string[] = [],
): CatalogEntry[] {
  const source = sourceAddresses.length === 0 ? {} : { source_addresses: [...sourceAddresses] }
  return catalog.types.map((type) => {
    const { description, example } = catalog.definitionOf(type)
    const event = catalog.checked({ ...SAMPLE, type, organization_id: organizationId, data: example })
    return { type, description, example: event, ...source }
  })
}

/** The value after a round trip through JSON. undefined: it cannot be serialized. */
function toJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

function refused(type: string, pointer: string, detail: string): IntegrationError {
  return new IntegrationError('VALIDATION_FAILED', `${type}: ${pointer}: ${detail}`, {
    errors: [{ pointer, detail }],
  })
}

function wrong(type: string, message: string): ConfigurationError {
  return new ConfigurationError(`events['${type}']: ${message}`)
}
