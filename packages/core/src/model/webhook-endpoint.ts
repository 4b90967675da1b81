import type { Static } from '@sinclair/typebox'
import { type Input, Name, Nullable, OneOf, schemaOf, Text, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { PATTERNS } from '../lib/validator.ts'
import { ENDPOINT_CHANGES } from './audit-entry.ts'
import { CreatedHeaders, UpdatedHeaders } from './endpoint-headers.ts'
import type { EventCatalog } from './event-catalog.ts'
import type { Limits } from './limits.ts'
import { MAX_PREVIOUS_SECRETS, PreviousSecret } from './signing-secret.ts'

export const TRIGGER_MODES = ['headless_only', 'always'] as const

/** Events wait for nothing, or for the previous event of their quotation. */
export const ORDERINGS = ['none', 'quotation'] as const

/** A member disabled the endpoint, or all of its deliveries failed for too long. */
export const DISABLED_REASONS = ['requested', 'failing'] as const

/** The success of deliveries to an endpoint, without tests. */
export const EndpointHealth = Type.Object({
  last_success_at: Nullable(Timestamp),
  failing_since: Nullable(
    Timestamp,
    'The first failure since the last success. Null while deliveries succeed.',
  ),
  recent_attempts: Type.Integer({ description: 'The number of recent attempts, at most 100.' }),
  recent_success_rate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The share of them that succeeded, from 0 to 1. Null without attempts.',
  }),
  changed_before_failing: Nullable(
    Type.Object({
      action: OneOf(ENDPOINT_CHANGES),
      actor_id: Nullable(Type.String(), 'Null for a change by the service.'),
      actor_name: Type.Optional(
        Nullable(
          Type.String(),
          'Present if the application names its members. Null if it does not know the actor.',
        ),
      ),
      at: Timestamp,
    }),
    'The newest change of the endpoint before `failing_since`, which need not be the reason. Null if it does not fail, or none is known.',
  ),
})
export type EndpointHealth = Static<typeof EndpointHealth>

/** An endpoint, with a hint of its signing secret and without header values. */
export const WebhookEndpoint = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    name: Type.String(),
    url: Type.String(),
    description: Nullable(Type.String()),
    events: Type.Array(Type.String()),
    trigger_mode: OneOf(TRIGGER_MODES),
    ordering: OneOf(ORDERINGS),
    header_names: Type.Array(Type.String(), {
      description: "The sorted names of the endpoint's own headers. Their values are never shown.",
    }),
    is_enabled: Type.Boolean(),
    disabled_reason: Nullable(
      OneOf(DISABLED_REASONS),
      'Null while the endpoint is enabled. `failing`: all deliveries have failed for too long.',
    ),
    health: EndpointHealth,
    paused_until: Nullable(
      Timestamp,
      'The receiver asked for a pause until then (429, or 503 with `Retry-After`). Null while it is not paused.',
    ),
    secret_hint: Type.String({
      description: 'The first characters and the last four of the signing secret.',
    }),
    previous_secret_expires_at: Nullable(
      Timestamp,
      'The time until which the newest previous secret also signs. Null if none does.',
    ),
    previous_secrets: Type.Array(PreviousSecret, {
      description: `The previous secrets that also sign, newest first. At most ${MAX_PREVIOUS_SECRETS}.`,
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'WebhookEndpoint' },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** Whether the endpoints have changed, and how many need somebody: for screens that look often. */
export const WebhookSummary = Type.Object(
  {
    endpoints: Type.Integer({ description: 'How many there are.' }),
    troubled: Type.Integer({
      description: 'Those that fail, deliver less than 90%, or were disabled because they failed.',
    }),
    changed_at: Nullable(Timestamp, 'The newest `updated_at` of the endpoints. Null if there are none.'),
  },
  { title: 'WebhookSummary' },
)
export type WebhookSummary = Static<typeof WebhookSummary>

/** Below this share of successes, an endpoint is not simply delivering. */
const ENOUGH = 0.9

export function summaryOf(endpoints: readonly WebhookEndpoint[]): WebhookSummary {
  const isTroubled = ({ is_enabled, disabled_reason, health }: WebhookEndpoint) =>
    is_enabled
      ? health.failing_since !== null || (health.recent_success_rate ?? 1) < ENOUGH
      : disabled_reason === 'failing'
  const times = endpoints.map(({ updated_at }) => updated_at.getTime())
  return {
    endpoints: endpoints.length,
    troubled: endpoints.filter(isTroubled).length,
    changed_at: times.length === 0 ? null : new Date(Math.max(...times)),
  }
}

/** The only response with the signing secret: of a create or a rotation. */
export const WebhookEndpointWithSecret = Type.Composite(
  [
    WebhookEndpoint,
    Type.Object({ secret: Type.String({ description: 'The signing secret. It is shown only once.' }) }),
  ],
  { title: 'WebhookEndpointWithSecret' },
)

const ORDERING =
  '`quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: events do not wait for each other.'

/** The settings that the bodies depend on. */
interface BodySettings {
  readonly limits: Limits
  readonly events: EventCatalog
}

/** Entries of `events`, unless the catalog has more. A repeated type counts once. */
const MAX_EVENTS = 100

function endpointFields({ limits, events: { types } }: BodySettings) {
  return {
    name: Name({ minLength: 1, maxLength: limits.nameLength }),
    url: Text({
      minLength: 1,
      maxLength: limits.urlLength,
      pattern: PATTERNS.https,
      description: 'HTTPS only, with a public host.',
    }),
    events: Type.Array(OneOf(types), {
      minItems: 1,
      maxItems: Math.max(types.length, MAX_EVENTS),
      description: 'Event types of the catalog.',
    }),
    description: Nullable(Text({ maxLength: limits.descriptionLength })),
  }
}

/** The values of fields that a create leaves out. */
export const ENDPOINT_DEFAULTS = {
  trigger_mode: 'headless_only',
  ordering: 'none',
  is_enabled: true,
} as const

/** The body of a create (specification, "Webhook endpoint"). For the rules of the URL see webhook-url.ts. */
export const createWebhookEndpointBody = schemaOf((settings: BodySettings) => {
  const { description, ...required } = endpointFields(settings)
  return Type.Object(
    {
      ...required,
      description: Type.Optional(description),
      trigger_mode: Type.Optional(OneOf(TRIGGER_MODES, { default: ENDPOINT_DEFAULTS.trigger_mode })),
      ordering: Type.Optional(
        OneOf(ORDERINGS, { default: ENDPOINT_DEFAULTS.ordering, description: ORDERING }),
      ),
      headers: Type.Optional(CreatedHeaders),
      is_enabled: Type.Optional(Type.Boolean({ default: ENDPOINT_DEFAULTS.is_enabled })),
    },
    { title: 'CreateWebhookEndpoint' },
  )
})

/** The body of an update. `description: null` clears the description. */
export const updateWebhookEndpointBody = schemaOf((settings: BodySettings) =>
  Type.Partial(
    Type.Object({
      ...endpointFields(settings),
      trigger_mode: OneOf(TRIGGER_MODES),
      ordering: OneOf(ORDERINGS, { description: ORDERING }),
      headers: UpdatedHeaders,
      is_enabled: Type.Boolean(),
    }),
    { title: 'UpdateWebhookEndpoint', minProperties: 1 },
  ),
)

export const rotateSecretBody = schemaOf((limits: Limits) =>
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.secretOverlapSeconds,
          default: 0,
          description:
            'Seconds for which deliveries are also signed with the old secret. Earlier ones keep the end they were given.',
        }),
      ),
    },
    { title: 'RotateSecret' },
  ),
)

export type CreateWebhookEndpointBody = Input<Static<ReturnType<typeof createWebhookEndpointBody>>>
export type UpdateWebhookEndpointBody = Input<Static<ReturnType<typeof updateWebhookEndpointBody>>>
export type RotateSecretBody = Static<ReturnType<typeof rotateSecretBody>>

/** An endpoint that was disabled because every delivery failed. */
export interface FailingEndpoint {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly failing_since: Date
}
