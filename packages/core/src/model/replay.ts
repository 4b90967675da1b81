import type { Static } from '@sinclair/typebox'
import { Nullable, OneOf, SentTimestamp, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'

/** The events that a replay sends: undelivered ones, those of them that were tried, or all. */
export const REPLAY_STATUSES = ['missed', 'failed', 'all'] as const

/** `stopped`: by a member, or because the endpoint was disabled or deleted. */
export const REPLAY_STATES = ['running', 'completed', 'stopped'] as const

export const ReplayBody = Type.Object(
  {
    since: SentTimestamp({ description: 'Events at this time or later.' }),
    until: Type.Optional(SentTimestamp({ description: 'Events before this time. Default: now.' })),
    status: Type.Optional(
      OneOf(REPLAY_STATUSES, {
        default: 'missed',
        description:
          '`missed`: events that were never delivered, whether attempted or not. `failed`: only those that were attempted. `all`: also those that were delivered.',
      }),
    ),
    event_type: Type.Optional(
      Type.String({
        description: 'Only events of this type of the catalog. Default: all that the endpoint subscribes to.',
      }),
    ),
  },
  { title: 'StartReplay' },
)

export type ReplayBody = Static<typeof ReplayBody>

/** A preview of a replay. */
export const ReplayCount = Type.Object(
  {
    events: Type.Integer({
      description: 'The events that the replay would send, as far as they were counted.',
    }),
    is_more: Type.Boolean({ description: 'Whether there are more events that were not examined.' }),
  },
  { title: 'ReplayCount' },
)
export type ReplayCount = Static<typeof ReplayCount>

export const Replay = Type.Object(
  {
    id: Uuid,
    endpoint_id: Uuid,
    state: OneOf(REPLAY_STATES),
    since: Timestamp,
    until: Timestamp,
    status: OneOf(REPLAY_STATUSES),
    event_type: Nullable(Type.String(), 'Null: all types.'),
    progress: Type.Object({
      examined: Type.Integer({ description: 'Examined events of the organization.' }),
      total: Type.Integer({ description: 'Events of the organization in this period.' }),
    }),
    resent: Type.Integer({ description: 'Created deliveries.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Replay' },
)
export type Replay = Static<typeof Replay>
