import type { EventPage, Integrations, Settings } from '@quickquote/core'
import {
  eventCatalogOf,
  eventFeedQuery,
  LONGEST_EVENT_WAIT_SECONDS,
  WebhookEvent,
} from '@quickquote/core/internal'
import { Type } from '@sinclair/typebox'
import { linkTo } from '../answers/page-answer.ts'
import { authenticate } from '../auth/partner-auth.ts'
import { createEventWaits, type EventWaits } from '../limits/event-waits.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { type PartnerRoute, partnerRoute } from '../route.ts'

/** The event feed, for partners who cannot receive webhooks or have missed some. */
export function eventRoutes({
  apiKeys,
  eventFeed,
  settings,
  storage,
}: Integrations): readonly PartnerRoute[] {
  const waits = createEventWaits(storage.eventFeed, settings.limits)
  return [
    partnerRoute({
      method: 'GET',
      url: '/events',
      access: 'api_key',
      operationId: 'listEvents',
      tag: 'Events',
      summary: 'Read the events of the organization',
      description:
        'Returns events oldest first, each with the bytes of its webhook, whether or not an endpoint subscribes to it. Store the `Link` of each response and continue from there: no event is skipped or repeated. Reading from an event ID may repeat some. With `wait`, an empty page waits for the next event.',
      params: Type.Object({}),
      query: eventFeedQuery,
      longestWaitMs: LONGEST_EVENT_WAIT_SECONDS * 1000,
      endWaits: () => waits.close(),
      answer: {
        status: 200,
        description: 'The events. The list may be empty even if more events follow at the `Link`.',
        schema: Type.Array(WebhookEvent),
        example: [exampleOf(settings)],
        headers: {
          Link: Type.String({
            description: 'The next page: `<…>; rel="next"` (RFC 8288), relative to this URL. Always sent.',
          }),
        },
      },
      errors: ['CURSOR_EXPIRED'],
      async handle({ apiKey, query, request, clientSignal }) {
        const { organizationId } = apiKey
        const read = (more: object) => eventFeed.read(organizationId, { ...(query as object), ...more })
        const first = await read({})
        // Already validated by the service.
        const waitMs = Number((query as { wait?: unknown }).wait ?? 0) * 1000
        const page =
          first.count > 0 || waitMs === 0
            ? first
            : await waitedFor({
                first,
                async read(more) {
                  await authenticate(apiKeys, request)
                  return read(more)
                },
                waitMs,
                waits,
                apiKey,
                signal: clientSignal(),
              })
        return {
          json: page.json,
          headers: { Link: linkTo(request, eventFeedQuery, { after: page.nextCursor }) },
        }
      },
    }),
  ]
}

function exampleOf({ events }: Settings): WebhookEvent {
  const entries = eventCatalogOf(events, EXAMPLE.organizationId)
  return JSON.parse(JSON.stringify(entries.find(({ type }) => type === 'quotation.completed')?.example))
}

/** The page after an empty one, once there is an event or the time is over. */
async function waitedFor({
  first,
  read,
  waitMs,
  waits,
  apiKey,
  signal,
}: {
  first: EventPage
  read: (more: { after: string }) => Promise<EventPage>
  waitMs: number
  waits: EventWaits
  apiKey: { readonly id: string; readonly organizationId: string }
  signal: AbortSignal
}): Promise<EventPage> {
  const place = waits.enter(apiKey.id)
  if (place === null) return first
  const endsAt = performance.now() + waitMs
  const end = () => place.end()
  signal.addEventListener('abort', end)
  try {
    for (let page = first; ; ) {
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0 || signal.aborted || waits.isClosed) return page
      await place.forNews(apiKey.organizationId, page.position, leftMs)
      page = await read({ after: page.nextCursor })
      if (page.count > 0) return page
    }
  } finally {
    signal.removeEventListener('abort', end)
    place.leave()
  }
}
