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
  `select is_expired, event, at_position::text, event_count, content
    from $schema.read_feed($organization_id, $position::bigint, $event_id::uuid, $types::text[], $source::text, $limit::int,
      ${EXAMINED_AT_MOST})`,
)

export const FIND_START = statement(
  { event: nullable(uuid), at_position: text },
  `select event, at_position::text from $schema.start_of_feed($organization_id, $event_id::uuid)`,
)

export const IS_BEHIND = statement(
  { is_behind: bool },
  'select $schema.feed_ahead() is not null as is_behind',
)

export const REPAIR_FEED = statement({ events: int }, 'select events from $schema.repair_feed()')

/** The first row has only `looked_up_to`. */
export const LOOK_FOR_NEWS = statement(
  { reader: text, looked_up_to: text },
  `select reader::text, looked_up_to::text
    from $schema.look_for_news($organization_ids::uuid[], $positions::bigint[])`,
)

export const FIND_OPEN_WRITERS = statement(
  { id: text, pid: nullable(int) },
  `select distinct writer as id, pid from $schema.feed_locks()`,
)
