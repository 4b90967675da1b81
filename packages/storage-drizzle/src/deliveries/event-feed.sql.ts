import { bool, int, nullable, statement, text, uuid } from '../connection/statement.ts'

/** Events examined per page, which its filter may hide. */
const EXAMINED_AT_MOST = 1000

/** Positions are text, which every driver reads alike. */
export const READ_FEED = statement(
  {
    is_expired: bool,
    event: nullable(uuid),
    at_position: text,
    event_count: int,
    content: nullable(text),
  },
  (schema) => `select is_expired, event, at_position::text, event_count, content
    from ${schema}.read_feed($organization_id, $position::bigint, $event_id::uuid, $types::text[], $source::text, $limit::int,
      ${EXAMINED_AT_MOST})`,
)

export const FIND_END = statement(
  { event: nullable(uuid), at_position: text },
  (schema) => `select event, at_position::text from ${schema}.end_of_feed($organization_id)`,
)

export const FIND_POSITION = statement(
  { event: uuid, at_position: text },
  (schema) => `select id as event, feed_position::text as at_position from ${schema}.events
    where id = $event_id and organization_id = $organization_id and feed_position is not null`,
)

/** A waiting reader has read everything older. */
export const FIND_READERS_WITH_NEWS = statement(
  { reader: text },
  (schema) => `select reader::text
    from unnest($organization_ids::uuid[], $positions::bigint[]) with ordinality as waiting (organization, seen, reader)
    where exists (
      select from ${schema}.events
      where organization_id = organization and feed_position > seen and created_at > now() - interval '2 days'
    )`,
)

/**
 * The locks of `next_feed_position`, whatever their organization. Locks of the host look different: they are exclusive, have a
 * small key, or one without one of our numbers.
 */
export const FIND_OPEN_WRITERS = statement(
  { lock: text, pid: nullable(int) },
  (schema) => `select key::text as lock, pid
    from (
      select (classid::bigint << 32) | objid::bigint as key, pid from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())
    ) as held, ${schema}.feed_positions
    where (key >> 40) & 16777215 <> 0 and ((last_value - key) & 1099511627775) < last_value`,
)
