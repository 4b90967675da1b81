import { isUuid, type ReplayCount, type ReplayStorage } from '@quickquote/core/internal'
import { and, eq } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { deliveryIds, newDeliveryId } from './delivery-id.ts'
import { FIRST_UUID, SETTINGS } from './delivery-statements.ts'

/** Replays in PostgreSQL: see ReplayStorage. */
export function replayStorage(database: Database): ReplayStorage {
  const { db, tables, schema } = database
  const { replays } = tables

  return {
    async insert(organizationId, { id, endpoint_id, since, until, status }, now) {
      const inserted = await database.run(
        `insert into ${schema}.replays (id, organization_id, endpoint_id, state, since, until, status, position_at,
           position_id, total, waits_for, created_at, updated_at)
         select $1, $2, $3, 'running', $4, $5, $6, $4, $7, count(*), ${writersOf(schema)}, $8, $8
         from ${schema}.events
         where organization_id = $2 and created_at >= $4 and created_at < $5
         on conflict (endpoint_id) where state = 'running' do nothing
         returning 1 as inserted`,
        [id, organizationId, endpoint_id, since, until, status, FIRST_UUID, now],
      )
      return inserted.length > 0
    },

    async count(organizationId, { endpoint_id, since, until, status }, limit) {
      const [counted] = await database.run<ReplayCount>(countStatement(schema), [
        organizationId,
        endpoint_id,
        since,
        until,
        status,
        limit,
      ])
      return counted ?? { events: 0, is_more: false }
    },

    async find(organizationId, endpointId, id) {
      if (!isUuid(endpointId) || !isUuid(id)) return null
      const { endpoint_id, state, since, until, status, examined, total, resent } = replays
      const { created_at, updated_at } = replays
      const [row] = await db
        .select(
          readable({
            ...{ endpoint_id, state, since, until, status, examined, total, resent },
            ...{ created_at, updated_at },
          }),
        )
        .from(replays)
        .where(
          and(
            eq(replays.id, id),
            eq(replays.organization_id, organizationId),
            eq(replays.endpoint_id, endpointId),
          ),
        )
      if (row === undefined) return null
      const { examined: looked, total: all, ...replay } = row
      return { ...replay, id: id.toLowerCase(), progress: { examined: looked, total: all } }
    },

    async advance(limit, now) {
      return database.transaction(async (transaction) => {
        // For the same reason as a claim: see there.
        await transaction.run(SETTINGS)
        const moved = await transaction.run<{ resent: number }>(advanceStatement(schema), [now, limit])
        if (moved.some(({ resent }) => resent > 0)) await transaction.wake()
        return moved.length > 0
      })
    },
  }
}

/**
 * The transactions that have written events and are under way. What they wrote while the endpoint was disabled nobody
 * sends to it but the replay, and it comes to light behind the replay's position when they are long. Those that begin to
 * write later see that the endpoint is enabled.
 */
function writersOf(schema: string): string {
  return `array(select virtualtransaction from pg_locks where relation = '${schema}.events'::regclass
    and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database()))`
}

/** A transaction that takes longer than this is waited for no more: it may be one that never ends. */
const LONGEST_WAIT = '1 minute'

/** Holds for what was made of an event of the batch for the endpoint of the replay. */
function ofEvent(table: 'attempt' | 'delivery'): string {
  return `${deliveryIds('batch.id', `${table}.${table === 'attempt' ? 'delivery_id' : 'id'}`)}
          and ${table}.event_id = batch.id and ${table}.endpoint_id = replay.endpoint_id`
}

/** Those of the events in `batch` that the one row of `replay` is about. */
function chosenStatement(schema: string): string {
  const attempts = `select from ${schema}.delivery_attempts attempt where ${ofEvent('attempt')}`
  return `select batch.id, batch.created_at, batch.quotation_id, batch.sequence from batch cross join replay
    where not batch.is_test and batch.type = any (replay.events)
      and (replay.trigger_mode = 'always' or batch.generation_source = 'api_key')
      and (replay.status = 'all' or not exists (${attempts} and attempt.status = 'succeeded'))
      and (replay.status <> 'failed' or exists (${attempts}))
      and not exists (
        select from ${schema}.deliveries delivery where ${ofEvent('delivery')} and delivery.parked_at is null
      )`
}

/**
 * Counts what a replay would send.
 *
 * `$1` the organization, `$2` the endpoint, `$3` since, `$4` until, `$5` the status, `$6` how many events are looked at
 */
function countStatement(schema: string): string {
  return `with replay as (
    select id as endpoint_id, events, trigger_mode, $5::text as status
    from ${schema}.webhook_endpoints where id = $2 and organization_id = $1 and deleted_at is null
  ), batch as (
    select id, created_at, type, generation_source, is_test, quotation_id, sequence from ${schema}.events
    where organization_id = $1 and created_at >= $3 and created_at < $4
    order by created_at, id limit $6::int + 1
  ), chosen as (
    ${chosenStatement(schema)}
  )
  select (select count(*) from chosen)::int as events, (select count(*) from batch) > $6 as is_more`
}

/**
 * Takes the replay that has waited longest, looks at its next events, makes deliveries of those that it is about, and
 * keeps the position. What is parked is replaced; what is on its way is left alone.
 *
 * `$1` now, `$2` how many events
 */
export function advanceStatement(schema: string): string {
  return `with replay as (
    select replay.*, endpoint.events, endpoint.trigger_mode, endpoint.ordering,
      endpoint.is_enabled and endpoint.deleted_at is null as is_active
    from ${schema}.replays replay join ${schema}.webhook_endpoints endpoint on endpoint.id = replay.endpoint_id
    where replay.state = 'running' and (
      replay.waits_for = '{}' or replay.created_at < $1::timestamptz - interval '${LONGEST_WAIT}'
      or not exists (select from pg_locks where virtualtransaction = any (replay.waits_for))
    )
    order by replay.updated_at limit 1
    for no key update of replay skip locked
  ), batch as (
    select event.* from replay cross join lateral (
      select id, created_at, type, generation_source, is_test, quotation_id, sequence from ${schema}.events
      where organization_id = replay.organization_id and created_at < replay.until
        and created_at >= replay.position_at and (created_at, id) > (replay.position_at, replay.position_id)
      order by created_at, id limit $2::int
    ) event
    where replay.is_active
  ), chosen as (
    ${chosenStatement(schema)}
  ), unparked as (
    delete from ${schema}.deliveries delivery using chosen batch, replay
    where ${ofEvent('delivery')} and delivery.leased_by is null
  ), resent as (
    insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      quotation_id, sequence)
    select ${newDeliveryId('chosen.id')}, replay.organization_id, replay.endpoint_id, chosen.id, chosen.created_at,
      $1::timestamptz, case when replay.ordering = 'quotation' and chosen.sequence is not null then chosen.quotation_id end,
      case when replay.ordering = 'quotation' then chosen.sequence end
    from chosen cross join replay
    returning 1
  ), last as (
    select created_at, id from batch order by created_at desc, id desc limit 1
  )
  update ${schema}.replays moved set
    examined = moved.examined + (select count(*) from batch),
    total = greatest(moved.total, moved.examined + (select count(*) from batch)),
    resent = moved.resent + (select count(*) from resent),
    position_at = coalesce((select created_at from last), moved.position_at),
    position_id = coalesce((select id from last), moved.position_id),
    state = case when not replay.is_active then 'stopped'
      when (select count(*) from batch) < $2::int then 'completed' else 'running' end,
    updated_at = $1::timestamptz
  from replay where moved.id = replay.id
  returning (select count(*) from resent)::int as resent`
}
