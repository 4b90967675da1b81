import type { Static } from '@sinclair/typebox'
import { PAGE_PARAMETERS } from '../lib/page.ts'
import { Nullable, OneOf, SentTimestamp, Text, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'

/** All actions. The part before the dot is the type of the resource. */
export const AUDIT_ACTIONS = [
  'api_key.created',
  'api_key.updated',
  'api_key.activated',
  'api_key.deactivated',
  'api_key.revoked',
  'api_key.transferred',
  'api_key.rolled',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
  'webhook_endpoint.tested',
  'webhook_endpoint.checked',
  'webhook_endpoint.delivery_resent',
  'webhook_endpoint.replay_started',
  'webhook_endpoint.replay_stopped',
  'quotation.erased',
  'organization.erased',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The actions that change an endpoint, and are no mere sending. */
export const ENDPOINT_CHANGES = [
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
] as const satisfies readonly AuditAction[]

export const AUDIT_RESOURCE_TYPES = ['api_key', 'webhook_endpoint', 'quotation', 'organization'] as const
export type AuditResourceType = (typeof AUDIT_RESOURCE_TYPES)[number]

/** A recorded value. The serializer takes the first matching type, and nearly everything matches text. */
const AuditValue = Type.Unsafe<string | boolean | null | readonly string[]>({
  type: ['null', 'boolean', 'array', 'string'],
  items: { type: 'string' },
})
export type AuditValue = Static<typeof AuditValue>

/** A changed field. Long and secret ones have no `from` and `to`. */
export const AuditChange = Type.Object({
  field: Type.String(),
  from: Type.Optional(AuditValue),
  to: Type.Optional(AuditValue),
})
export type AuditChange = Static<typeof AuditChange>

/** A change of a key or an endpoint, a sending that a member caused, or an erasure: who, from where, and when. */
export const AuditEntry = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    actor_id: Nullable(
      Type.String(),
      'The member who made the change. Null for changes made by the service.',
    ),
    actor_name: Type.Optional(
      Nullable(
        Type.String(),
        'Present if the application names its members. Null if it does not know the actor.',
      ),
    ),
    client_address: Nullable(
      Type.String(),
      'The IP address of the request. Null if unknown, or if the change was not made by a request.',
    ),
    action: OneOf(AUDIT_ACTIONS),
    resource_type: OneOf(AUDIT_RESOURCE_TYPES),
    resource_id: Uuid,
    resource_name: Type.String({
      description: 'The name of the key or the endpoint after the change; `[erased]` if it was erased.',
    }),
    changes: Type.Array(AuditChange, { description: 'The changed fields.' }),
    created_at: Timestamp,
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditLogQuery = Type.Object({
  resource_id: Type.Optional(Type.String({ format: 'uuid', description: 'One key or endpoint.' })),
  action: Type.Optional(OneOf(AUDIT_ACTIONS)),
  actor_id: Type.Optional(Text({ minLength: 1, maxLength: 200, description: 'Changes of one member.' })),
  since: Type.Optional(SentTimestamp({ description: 'Changes made at this time or later.' })),
  until: Type.Optional(SentTimestamp({ description: 'Changes made before this time.' })),
  ...PAGE_PARAMETERS,
})
