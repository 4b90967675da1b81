import { type Static, Type } from '@sinclair/typebox'
import { OneOf, SentTimestamp, Timestamp, Uuid } from '../lib/schema.ts'

/** Which events a replay sends: what never succeeded, of that what was tried at all, or everything. */
export const REPLAY_STATUSES = ['missed', 'failed', 'all'] as const
export type ReplayStatus = (typeof REPLAY_STATUSES)[number]

/** `stopped`: the endpoint was disabled or deleted meanwhile. */
export const REPLAY_STATES = ['running', 'completed', 'stopped'] as const
export type ReplayState = (typeof REPLAY_STATES)[number]

/** What a replay asks for. */
export const ReplayBody = Type.Object(
  {
    since: SentTimestamp({ description: 'Events that happened then or later.' }),
    until: Type.Optional(SentTimestamp({ description: 'Events that happened before then. Default: now.' })),
    status: Type.Optional(
      OneOf(REPLAY_STATUSES, {
        default: 'missed',
        description:
          '`missed`: what never succeeded, whether or not it was tried. `failed`: of that, what was tried. `all`: what succeeded, too.',
      }),
    ),
  },
  { title: 'StartReplay' },
)

/** What a replay would send, were it started now. */
export const ReplayCount = Type.Object(
  {
    events: Type.Integer({ description: 'Events that it would send, as far as they were counted.' }),
    is_more: Type.Boolean({ description: 'Whether there are events that were not looked at.' }),
  },
  { title: 'ReplayCount' },
)
export type ReplayCount = Static<typeof ReplayCount>

/** A replay, with its progress. */
export const Replay = Type.Object(
  {
    id: Uuid,
    endpoint_id: Uuid,
    state: OneOf(REPLAY_STATES),
    since: Timestamp,
    until: Timestamp,
    status: OneOf(REPLAY_STATUSES),
    progress: Type.Object({
      examined: Type.Integer({ description: 'Events of the organization that were looked at.' }),
      total: Type.Integer({ description: 'Events of the organization in that time.' }),
    }),
    resent: Type.Integer({ description: 'Deliveries that were made.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Replay' },
)
export type Replay = Static<typeof Replay>
