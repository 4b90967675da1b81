import { ERASED } from '@quickquote/core/internal'
import { newestFirst } from '../connection/page.ts'
import { bool, columnsOf, int, selected, statement, text } from '../connection/statement.ts'
import { deliveryIds, newDeliveryId } from '../ids.ts'
import { notErased } from '../not-erased.sql.ts'
import { replays } from '../schema.ts'

/**
 * Open transactions that have written events. Events written while the endpoint was disabled are only sent by the
 * replay, and in a long transaction they become visible behind its position. Later writers see that the endpoint is
 * enabled.
 */
const WRITERS = `array(select virtualtransaction from pg_locks where relation = '$schema.events'::regclass
      and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database()))`

/** Counts all events of its period, so that its progress is known from the beginning. */
export const INSERT_REPLAY = statement(
  { inserted: int },
  `insert into $schema.replays (id, organization_id, endpoint_id, state, since, until, status, event_type, position_at,
      position_id, total, waits_for, created_at, updated_at)
    select $id, $organization_id, $endpoint_id, 'running', $since, $until, $status, $event_type::text, $since, $position_id, count(*),
      ${WRITERS}, $now, $now
    from $schema.events
    where organization_id = $organization_id and created_at >= $since and created_at < $until
    having ${notErased()}
    on conflict (endpoint_id) where state = 'running' do nothing
    returning 1 as inserted`,
)

const REPLAY = columnsOf(
  replays,
  ['id', 'endpoint_id', 'state', 'since', 'until', 'status', 'event_type', 'examined', 'total', 'resent'],
  ['created_at', 'updated_at'],
)

export const FIND_REPLAY = statement(
  REPLAY,
  `select ${selected(REPLAY)} from $schema.replays
    where id = $id and organization_id = $organization_id and endpoint_id = $endpoint_id`,
)

export const LIST_REPLAYS = statement(
  REPLAY,
  `select ${selected(REPLAY)} from $schema.replays
    where organization_id = $organization_id and endpoint_id = $endpoint_id
    order by ${newestFirst('replays')} limit $limit::int`,
)

/** Waits for a batch that is being sent, which is the last one. */
export const STOP_REPLAY = statement(
  { stopped: int },
  `update $schema.replays set state = 'stopped', updated_at = $now
    where id = $id and organization_id = $organization_id and endpoint_id = $endpoint_id and state = 'running'
    returning 1 as stopped`,
)

/** The relevant columns of a batch's events. */
const EVENT = `id, created_at, type, generation_source, is_test, body = '${ERASED}' as is_erased, quotation_id, sequence`

/**
 * Matches the attempts or deliveries of an event of the batch at the endpoint of the replay: by the id of the delivery,
 * and never, however many rows the planner expects there, by an index of the endpoint.
 */
function ofEvent(table: 'attempt' | 'delivery'): string {
  return `${deliveryIds('batch.id', `${table}.${table === 'attempt' ? 'delivery_id' : 'id'}`)}
          and ${table}.event_id = batch.id and ${table}.endpoint_id is not distinct from replay.endpoint_id`
}

const ATTEMPTS = `select from $schema.delivery_attempts attempt
          where ${ofEvent('attempt')}`

/** The events in `batch` that the row of `replay` selects. */
const CHOSEN = `select batch.id, batch.created_at, batch.quotation_id, batch.sequence from batch cross join replay
      where not batch.is_test and not batch.is_erased and batch.type = any (replay.events)
        and batch.type = coalesce(replay.event_type, batch.type)
        and (replay.trigger_mode = 'always' or batch.generation_source = 'api_key')
        and (replay.status = 'all' or not exists (${ATTEMPTS} and attempt.status = 'succeeded'))
        and (replay.status <> 'failed' or exists (${ATTEMPTS}))
        and not exists (
          select from $schema.deliveries delivery where ${ofEvent('delivery')} and delivery.parked_at is null
        )`

/** Counts the events of a replay, among at most `$limit` events. */
export const COUNT_REPLAY = statement(
  { events: int, is_more: bool },
  `with replay as (
      select id as endpoint_id, events, trigger_mode, $status::text as status, $event_type::text as event_type
      from $schema.webhook_endpoints where id = $endpoint_id and organization_id = $organization_id and deleted_at is null
    ), batch as (
      select ${EVENT} from $schema.events
      where organization_id = $organization_id and created_at >= $since and created_at < $until
      order by created_at, id limit $limit::int + 1
    ), chosen as (
      ${CHOSEN}
    )
    select (select count(*) from chosen)::int as events, (select count(*) from batch) > $limit as is_more`,
)

/** Longer transactions are not waited for: they may never end. */
const LONGEST_WAIT = '1 minute'

/**
 * Takes the replay that has waited longest, examines its next `$limit` events, creates deliveries of the selected ones,
 * and stores the position. Parked deliveries are replaced, pending ones are left alone. Its locks are those of `RESEND`.
 */
export const ADVANCE_REPLAY = statement(
  { resent: int },
  `with replay as (
      select replay.*, endpoint.events, endpoint.trigger_mode, endpoint.ordering, endpoint.generation,
        endpoint.is_enabled and endpoint.deleted_at is null as is_active
      from $schema.replays replay join $schema.webhook_endpoints endpoint on endpoint.id = replay.endpoint_id
      where replay.state = 'running' and (
        replay.waits_for = '{}' or replay.created_at < $now::timestamptz - interval '${LONGEST_WAIT}'
        or not exists (select from pg_locks where virtualtransaction = any (replay.waits_for))
      ) and not exists (
        select from $schema.erased_organizations where organization_id = replay.organization_id
      )
      order by replay.updated_at limit 1
      for no key update of replay skip locked for key share of endpoint skip locked
    ), batch as (
      select event.* from replay cross join lateral (
        select ${EVENT} from $schema.events
        where organization_id = replay.organization_id and created_at < replay.until
          and created_at >= replay.position_at and (created_at, id) > (replay.position_at, replay.position_id)
        order by created_at, id limit $limit::int
      ) event
      where replay.is_active
    ), chosen as materialized (
      ${CHOSEN}
    ), kept as (
      select chosen.* from chosen cross join replay
      left join lateral (
        select true as is_kept from $schema.event_sequences
        where organization_id = replay.organization_id and quotation_id = chosen.quotation_id
        for key share
      ) numbers on true
      where (chosen.sequence is null or is_kept) and $schema.keep_event(chosen.id)
    ), unparked as (
      delete from $schema.deliveries delivery using kept batch, replay
      where ${ofEvent('delivery')} and delivery.leased_by is null
    ), resent as (
      insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
        generation, quotation_id, sequence)
      select ${newDeliveryId('kept.id')}, replay.organization_id, replay.endpoint_id, kept.id, kept.created_at,
        $now::timestamptz, replay.generation,
        case when replay.ordering = 'quotation' and kept.sequence is not null then kept.quotation_id end,
        case when replay.ordering = 'quotation' then kept.sequence end
      from kept cross join replay
      returning 1
    ), last as (
      select created_at, id from batch order by created_at desc, id desc limit 1
    )
    update $schema.replays moved set
      examined = moved.examined + (select count(*) from batch),
      total = greatest(moved.total, moved.examined + (select count(*) from batch)),
      resent = moved.resent + (select count(*) from resent),
      position_at = coalesce((select created_at from last), moved.position_at),
      position_id = coalesce((select id from last), moved.position_id),
      state = case when not replay.is_active then 'stopped'
        when (select count(*) from batch) < $limit::int then 'completed' else 'running' end,
      updated_at = $now::timestamptz
    from replay where moved.id = replay.id
    returning (select count(*) from resent)::int as resent`,
)

/**
 * Settings for a statement that depends on its indexes; run it first in the transaction. A plan from when a table was
 * empty would later read all of it, a custom plan costs more than the call, and compiling 100 times as much.
 * `delivery_round` has the same settings built in. A process paused in the middle of the transaction loses its locks
 * after 10 s.
 */
export const LIVE_ON_INDEXES = statement(
  { value: text },
  `select set_config(name, setting, true) as value from (values
      ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
      ('enable_sort', 'off'),
      ('plan_cache_mode', 'force_generic_plan'), ('jit', 'off'), ('idle_in_transaction_session_timeout', '10s')
    ) as planner (name, setting)`,
)
