import type { Integrations } from '@quickquote/core'
import { Replay, ReplayBody, ReplayCount, Type } from '@quickquote/core/internal'
import { EXAMPLE } from '../openapi/examples.ts'
import { jsonBody, type SessionRoute, sessionRoute } from '../route.ts'

const common = { access: 'manage_integrations', tag: 'Webhooks' } as const
const replay = {
  id: EXAMPLE.replayId,
  endpoint_id: EXAMPLE.endpointId,
  state: 'running',
  since: '2026-11-20T00:00:00.000Z',
  until: EXAMPLE.finishedAt,
  status: 'missed',
  event_type: null,
  progress: { examined: 0, total: 1250 },
  resent: 0,
  created_at: EXAMPLE.finishedAt,
  updated_at: EXAMPLE.finishedAt,
}

export function replayRoutes({ replays }: Integrations): readonly SessionRoute[] {
  return [
    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/replay',
      operationId: 'startReplay',
      summary: 'Replay missed events to an endpoint',
      description:
        'Creates new deliveries, with the same event IDs, of events in a period. Runs in the background.',
      body: jsonBody(ReplayBody, { since: replay.since }),
      answer: {
        status: 202,
        description: 'The replay has started.',
        schema: Replay,
        example: replay,
        headers: {
          Location: Type.String({ description: 'The address of its progress, to resolve against this URL.' }),
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'STATE_CONFLICT'],
      async handle({ member, params, body, address, headers }) {
        const begun = await replays.start(member, params.id, body)
        headers['Location'] = `${address()}s/${begun.id}`
        return begun
      },
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/:id/replay/count',
      operationId: 'countReplay',
      summary: 'Count the events a replay would send',
      description: 'Sends nothing. Examines at most 20,000 events, oldest first.',
      query: ReplayBody,
      answer: {
        status: 200,
        description: 'The count.',
        schema: ReplayCount,
        example: { events: 37, is_more: false },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: ({ member, params, query }) => replays.count(member, params.id, query),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/:id/replays/:replayId',
      operationId: 'getReplay',
      summary: 'Get the progress of a replay',
      description: 'A replay runs in the background. Poll until its `state` is `completed` or `stopped`.',
      answer: {
        status: 200,
        description: 'The replay.',
        schema: Replay,
        example: { ...replay, state: 'completed', progress: { examined: 1250, total: 1250 }, resent: 37 },
      },
      errors: ['REPLAY_NOT_FOUND'],
      handle: ({ member, params }) => replays.get(member, params.id, params.replayId),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/:id/replays',
      operationId: 'listReplays',
      summary: 'List the replays of a webhook endpoint',
      description: 'Lists the newest 20, newest first.',
      answer: { status: 200, description: 'The replays.', schema: Type.Array(Replay), example: [replay] },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: ({ member, params }) => replays.list(member, params.id),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/replays/:replayId/stop',
      operationId: 'stopReplay',
      summary: 'Stop a replay',
      description:
        'Deliveries that it has already created are still sent. A stopped replay is returned unchanged.',
      answer: {
        status: 200,
        description: 'The stopped replay.',
        schema: Replay,
        example: { ...replay, state: 'stopped', progress: { examined: 400, total: 1250 }, resent: 12 },
      },
      errors: ['REPLAY_NOT_FOUND', 'STATE_CONFLICT'],
      handle: ({ member, params }) => replays.stop(member, params.id, params.replayId),
    }),
  ]
}
