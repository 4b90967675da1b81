import type { FeedPosition, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import {
  FIND_OPEN_WRITERS,
  FIND_START,
  IS_BEHIND,
  LOOK_FOR_NEWS,
  READ_FEED,
  REPAIR_FEED,
} from './event-feed.sql.ts'

/** The rules are in functions of the migration. */
export function eventFeedStorage({ call, callUnwatched, run, one }: Database): Storage['eventFeed'] {
  return {
    read: (organizationId, after, { types, source }, limit) =>
      call('eventFeed.read', async () => {
        const page = await one(READ_FEED, {
          organization_id: organizationId,
          position: after?.position ?? null,
          event_id: after?.eventId ?? null,
          types,
          source,
          limit,
        })
        if (page.is_expired) return null
        return { count: page.event_count, json: `[${page.content ?? ''}]`, end: positionOf(page) }
      }),

    findEnd: (organizationId) =>
      call('eventFeed.findEnd', async () =>
        positionOf(await one(FIND_START, { organization_id: organizationId, event_id: null })),
      ),

    findStart: (organizationId, eventId) =>
      call('eventFeed.findStart', async () => {
        const [found] = await run(FIND_START, { organization_id: organizationId, event_id: eventId })
        return found === undefined ? null : positionOf(found)
      }),

    lookForNews: (readers) =>
      call('eventFeed.lookForNews', async () => {
        const [first, ...found] = await run(LOOK_FOR_NEWS, {
          organization_ids: readers.map(({ organizationId }) => organizationId),
          positions: readers.map(({ position }) => String(position)),
        })
        return {
          found: new Set(found.map(({ reader }) => Number(reader) - 1)),
          lookedUpTo: Number(first?.looked_up_to ?? 0),
        }
      }),

    isBehind: () => call('eventFeed.isBehind', async () => (await one(IS_BEHIND)).is_behind),

    repair: () =>
      callUnwatched('eventFeed.repair', async () => {
        const [repaired] = await run(REPAIR_FEED)
        return repaired === undefined ? null : { moved: repaired.events }
      }),

    findOpenWriters: () => call('eventFeed.findOpenWriters', () => run(FIND_OPEN_WRITERS, {})),
  }
}

function positionOf({ event, at_position }: { event: string | null; at_position: string }): FeedPosition {
  return { position: Number(at_position), eventId: event }
}
