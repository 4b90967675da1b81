import { type Static, Type } from '@sinclair/typebox'
import { Name, NullableText, NullableTimestamp, OneOf, Text, Timestamp, Uuid } from '../lib/schema.ts'
import { CreatedHeaders, UpdatedHeaders } from './endpoint-headers.ts'
import type { EventCatalog } from './event-catalog.ts'
import type { Limits } from './limits.ts'

export const TRIGGER_MODES = ['headless_only', 'always'] as const
export type TriggerMode = (typeof TRIGGER_MODES)[number]

/** What an endpoint's events wait for: nothing, or the event before them of the same quotation. */
export const ORDERINGS = ['none', 'quotation'] as const
export type Ordering = (typeof ORDERINGS)[number]

/** Why an endpoint is disabled: a member disabled it, or all of its deliveries failed for too long. */
export const DISABLED_REASONS = ['requested', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** How the deliveries to an endpoint go; tests count for nothing. */
export const EndpointHealth = Type.Object({
  last_success_at: NullableTimestamp,
  failing_since: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'The first failure after the last success. Null while deliveries succeed.',
  }),
  recent_attempts: Type.Integer({ description: 'How many of the last 100 attempts there are.' }),
  recent_success_rate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The share of those that succeeded, from 0 to 1. Null without attempts.',
  }),
})
export type EndpointHealth = Static<typeof EndpointHealth>

/** The endpoint object. It never holds the signing secret, only a hint to recognise it by, and no value of a header. */
export const WebhookEndpoint = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    name: Type.String(),
    url: Type.String(),
    description: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    events: Type.Array(Type.String()),
    trigger_mode: OneOf(TRIGGER_MODES),
    ordering: OneOf(ORDERINGS),
    header_names: Type.Array(Type.String(), {
      description: 'The names of the headers of its own, sorted. Their values are never shown.',
    }),
    is_enabled: Type.Boolean(),
    disabled_reason: Type.Unsafe<DisabledReason | null>({
      type: ['string', 'null'],
      enum: [...DISABLED_REASONS, null],
      description: 'Null while it is enabled. `failing`: all deliveries failed for too long.',
    }),
    health: EndpointHealth,
    secret_hint: Type.String({
      description: 'The first characters and the last four of the signing secret.',
    }),
    previous_secret_expires_at: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'Until when the secret before the last rotation signs too.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'WebhookEndpoint' },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** The answer of a create or a rotation: the endpoint, and its signing secret for the only time. */
export const WebhookEndpointWithSecret = Type.Composite(
  [
    WebhookEndpoint,
    Type.Object({ secret: Type.String({ description: 'The signing secret. It is not shown again.' }) }),
  ],
  { title: 'WebhookEndpointWithSecret' },
)

const ORDERING =
  '`quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: no event waits for another.'

function endpointFields(limits: Limits, { types }: EventCatalog) {
  return {
    name: Name({ minLength: 1, maxLength: limits.nameLength }),
    url: Text({ minLength: 1, maxLength: limits.urlLength, description: 'HTTPS only.' }),
    events: Type.Array(OneOf(types), { minItems: 1, description: 'Event types of the catalog.' }),
    description: NullableText({ maxLength: limits.descriptionLength }),
  }
}

/** What a create sends (specification, "Webhook endpoint"). The URL's own rules are checked apart: see webhook-url.ts. */
export function createWebhookEndpointBody(limits: Limits, catalog: EventCatalog) {
  const { description, ...required } = endpointFields(limits, catalog)
  return Type.Object(
    {
      ...required,
      description: Type.Optional(description),
      trigger_mode: Type.Optional(OneOf(TRIGGER_MODES, { default: 'headless_only' })),
      ordering: Type.Optional(OneOf(ORDERINGS, { default: 'none', description: ORDERING })),
      headers: Type.Optional(CreatedHeaders),
      is_enabled: Type.Optional(Type.Boolean({ default: true })),
    },
    { title: 'CreateWebhookEndpoint' },
  )
}

/** What an update sends: any of the fields. `description: null` clears it. */
export function updateWebhookEndpointBody(limits: Limits, catalog: EventCatalog) {
  return Type.Partial(
    Type.Object({
      ...endpointFields(limits, catalog),
      trigger_mode: OneOf(TRIGGER_MODES),
      ordering: OneOf(ORDERINGS, { description: ORDERING }),
      headers: UpdatedHeaders,
      is_enabled: Type.Boolean(),
    }),
    { title: 'UpdateWebhookEndpoint', minProperties: 1 },
  )
}

/** What a rotation may send. */
export function rotateSecretBody(limits: Limits) {
  return Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.secretOverlapSeconds,
          default: 0,
          description: 'How long deliveries are signed with the old secret, too.',
        }),
      ),
    },
    { title: 'RotateSecret' },
  )
}

/** An endpoint that was disabled because every delivery to it failed. */
export interface FailingEndpoint {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly failing_since: Date
}
