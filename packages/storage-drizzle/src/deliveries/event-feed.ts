import type { EventFeedStorage, FeedPosition } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'

/** Events that one page looks at, of which its filter may hide all. */
const EXAMINED_AT_MOST = 1000

interface Row {
  readonly kind: 'event' | 'end' | 'expired'
  readonly event: string | null
  /** As text: it is read alike by every driver. */
  readonly place: string
  readonly content: string | null
}

/** The feed of events in PostgreSQL: see EventFeedStorage. Its rules are in the functions of the migration. */
export function eventFeedStorage({ run, schema }: Database): EventFeedStorage {
  return {
    async read(organizationId, after, { types, source }, limit) {
      const rows = await run<Row>(
        `select kind, event, place::text, content
         from ${schema}.read_feed($1, $2::bigint, $3::uuid, $4::text[], $5::text, $6::int, ${EXAMINED_AT_MOST})`,
        [organizationId, after?.position ?? null, after?.eventId ?? null, types, source, limit],
      )
      const last = rows.at(-1)
      if (last === undefined || last.kind === 'expired') return null
      return { bodies: rows.slice(0, -1).map(({ content }) => content ?? ''), end: positionOf(last) }
    },

    async findEnd(organizationId) {
      const [end] = await run<Row>(`select event, place::text from ${schema}.end_of_feed($1)`, [
        organizationId,
      ])
      return end === undefined ? { position: 0, eventId: null } : positionOf(end)
    },

    async findPosition(organizationId, eventId) {
      const [found] = await run<Row>(
        `select id as event, feed_position::text as place from ${schema}.events
         where id = $1 and organization_id = $2 and feed_position is not null`,
        [eventId, organizationId],
      )
      return found === undefined ? null : positionOf(found)
    },

    async findReadersWithNews(readers) {
      // Whoever waits has read all that is older.
      const rows = await run<{ reader: string }>(
        `select reader::text from unnest($1::uuid[], $2::bigint[]) with ordinality as waiting (organization, seen, reader)
         where exists (
           select from ${schema}.events
           where organization_id = organization and feed_position > seen and created_at > now() - interval '2 days'
         )`,
        [
          readers.map(({ organizationId }) => organizationId),
          readers.map(({ position }) => String(position)),
        ],
      )
      return new Set(rows.map(({ reader }) => Number(reader) - 1))
    },
  }
}

function positionOf({ event, place }: Pick<Row, 'event' | 'place'>): FeedPosition {
  return { position: Number(place), eventId: event }
}
