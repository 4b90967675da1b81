import { decodeCursor, encodeCursor } from '../lib/cursor.ts'
import { IntegrationError, invalidField } from '../lib/errors.ts'
import { validateUrlPart } from '../lib/validator.ts'
import { eventFeedQuery } from '../model/event-feed-query.ts'
import { checkOrganizationId } from '../model/ids.ts'
import { uuidOfEvent } from '../model/webhook-event.ts'
import type { Context } from '../settings.ts'
import type { FeedFilter, FeedPosition } from '../storage/event-feed.ts'

export interface EventPage {
  /** How many events it has. */
  readonly count: number
  /** A JSON array of the events, oldest first, byte for byte as in their webhooks. */
  readonly json: string
  /** The next page. There always is one. */
  readonly nextCursor: string
  /** The number behind the cursor. It grows with each event of the organization. */
  readonly position: number
}

/** The webhook events of an organization, for reading. */
export interface EventFeed {
  /**
   * Reads a page without waiting. `query` is an eventFeedQuery, with `types` separated by commas. A page may be empty
   * even if more events follow at its cursor.
   * @throws IntegrationError VALIDATION_FAILED, also for an unknown event id; CURSOR_EXPIRED
   */
  read(organizationId: string, query?: unknown): Promise<EventPage>
}

/** A cursor needs an id, even at the beginning. */
const NO_EVENT = '00000000-0000-0000-0000-000000000000'

export function createEventFeed({
  storage: { eventFeed: feed },
  settings: { keyring, events },
}: Context<'eventFeed'>): EventFeed {
  return {
    async read(organizationId, query = {}) {
      checkOrganizationId(organizationId)
      const {
        after,
        types,
        generation_source = 'api_key',
        limit = 50,
      } = validateUrlPart(eventFeedQuery(events), query, '?')
      const filter: FeedFilter = {
        types: types ?? null,
        source: generation_source === 'all' ? null : generation_source,
      }
      if (after === 'latest') {
        const end = await feed.findEnd(organizationId)
        return { count: 0, json: '[]', nextCursor: cursorTo(organizationId, end), position: end.position }
      }
      const position = after === undefined ? null : await positionOf(organizationId, after)
      const part = await feed.read(organizationId, position, filter, limit)
      if (part === null) throw new IntegrationError('CURSOR_EXPIRED')
      const { count, json, end } = part
      return { count, json, nextCursor: cursorTo(organizationId, end), position: end.position }
    },
  }

  async function positionOf(organizationId: string, after: string): Promise<FeedPosition> {
    if (after.startsWith('evt_')) {
      const id = uuidOfEvent(after)
      const found = id !== null ? await feed.findStart(organizationId, id) : null
      return found ?? refuse('must be the ID of an event that is still kept')
    }
    const { ordinal, id } =
      decodeCursor(keyring, { name: 'events', organizationId }, after) ??
      refuse('must be the cursor of a `next` link of this feed, the ID of an event (`evt_…`), or `latest`')
    return { position: ordinal, eventId: id === NO_EVENT ? null : id }
  }

  function cursorTo(organizationId: string, { position, eventId }: FeedPosition): string {
    return encodeCursor(
      keyring,
      { name: 'events', organizationId },
      { ordinal: position, id: eventId ?? NO_EVENT },
    )
  }
}

function refuse(detail: string): never {
  throw invalidField('?after', detail)
}
