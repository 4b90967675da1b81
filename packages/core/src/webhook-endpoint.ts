import { type Static, Type } from '@sinclair/typebox'
import { EVENT_TYPES } from './event-catalog.ts'
import type { Limits } from './limits.ts'
import { NullableText, OneOf, Text, Timestamp, Uuid } from './schema.ts'

export const TRIGGER_MODES = ['headless_only', 'always'] as const
export type TriggerMode = (typeof TRIGGER_MODES)[number]

/** The endpoint object. It never holds the signing secret, only a hint to recognise it by. */
export const WebhookEndpoint = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    name: Type.String(),
    url: Type.String(),
    description: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    events: Type.Array(Type.String()),
    trigger_mode: OneOf(TRIGGER_MODES),
    is_enabled: Type.Boolean(),
    secret_hint: Type.String({
      description: 'The first characters and the last four of the signing secret.',
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

/** What a create sends (specification, "Webhook endpoint"). The URL's own rules are checked apart: see webhook-url.ts. */
export function createWebhookEndpointBody(limits: Limits) {
  return Type.Object(
    {
      name: Text({ minLength: 1, maxLength: limits.nameLength }),
      url: Text({ minLength: 1, maxLength: limits.urlLength, description: 'HTTPS only.' }),
      events: Type.Array(OneOf(EVENT_TYPES), { minItems: 1, description: 'Event types of the catalog.' }),
      description: Type.Optional(NullableText({ maxLength: limits.descriptionLength })),
      trigger_mode: Type.Optional(OneOf(TRIGGER_MODES, { default: 'headless_only' })),
      is_enabled: Type.Optional(Type.Boolean({ default: true })),
    },
    { title: 'CreateWebhookEndpoint' },
  )
}
