import type { Integrations, Settings } from '@quickquote/core'
import { eventCatalogOf, eventFeedQuery, Type, WebhookEvent } from '@quickquote/core/internal'
import { linkTo } from '../answers/links.ts'
import { authenticate } from '../auth/partner-auth.ts'
import { createLookout, type Waits, waitMsOf } from '../limits/waits.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { JsonText, type PartnerRoute, partnerRoute } from '../route.ts'

/** The event feed, for partners who cannot receive webhooks or have missed some. */
export function eventRoutes(
  { apiKeys, eventFeed, settings, storage }: Integrations,
  waits: Waits,
): readonly PartnerRoute[] {
  const lookout = createLookout<{ readonly organizationId: string; position: number }>(async (readers) => {
    const { found, lookedUpTo } = await storage.eventFeed.lookForNews(readers)
    for (const reader of readers) reader.position = Math.max(reader.position, lookedUpTo)
    return found
  }, settings.logger)
  const feedQuery = eventFeedQuery(settings.events)
  return [
    partnerRoute({
      access: 'api_key',
      tag: 'Events',
      method: 'GET',
      url: '/events',
      operationId: 'listEvents',
      summary: 'Read the events of the organization',
      description:
        'Returns events oldest first, each with the bytes of its webhook, whether or not an endpoint subscribes to it. Store the `Link` of each response and continue from there: no event is skipped or repeated. Reading from an event ID may repeat some. With `wait`, an empty page waits for the next event.',
      // A list is one parameter, separated by commas: @fastify/swagger reads the style of all parameters here.
      query: { ...feedQuery, style: 'form', explode: false },
      endWaits: () => waits.close(),
      answer: {
        status: 200,
        description: 'The events. The list may be empty even if more events follow at the `Link`.',
        schema: Type.Array(WebhookEvent),
        // Compiles the schemas of all events, which only the document needs.
        get example() {
          return [exampleOf(settings)]
        },
        headers: {
          Link: Type.String({
            description:
              'The next page: `<…>; rel="next"` (RFC 8288), to resolve against this URL. Always sent.',
          }),
        },
      },
      errors: ['CURSOR_EXPIRED'],
      async handle({ apiKey, query, request, address, headers, clientSignal }) {
        const { organizationId } = apiKey
        const read = (more: object) => eventFeed.read(organizationId, { ...(query as object), ...more })
        const page = await waits.hold({
          apiKeyId: apiKey.id,
          clientSignal,
          first: await read({}),
          waitMs: waitMsOf(query as object),
          isNews: ({ count }) => count > 0,
          watch: ({ position }, ring) => lookout({ organizationId, position }, ring),
          async read({ nextCursor }) {
            await authenticate(apiKeys, request)
            return read({ after: nextCursor })
          },
        })
        headers['Link'] = linkTo({ request, address }, feedQuery, { after: page.nextCursor })
        return new JsonText(page.json)
      },
    }),
  ]
}

function exampleOf({ events }: Settings): WebhookEvent {
  const entries = eventCatalogOf(events, EXAMPLE.organizationId)
  return JSON.parse(JSON.stringify(entries.find(({ type }) => type === 'quotation.completed')?.example))
}
