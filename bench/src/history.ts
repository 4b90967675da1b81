import type postgres from 'postgres'
import { BODY, EVENT_TYPE } from './delivery/payload.ts'

/** A day, and in it this many events, each delivered once at the first attempt. */
interface History {
  readonly days: number
  readonly perDay: number
  /** Default: one that nobody asks for. */
  readonly organizationId?: string
  /** Default: none of this database. */
  readonly endpointIds?: readonly string[]
  /** The SQL schema. */
  readonly schema?: string
}

const NOBODY = '00000000-0000-7000-8000-000000000000'

/** Fills the past of a database, a statement for each day, ending an hour ago. */
export async function fillHistory(
  sql: postgres.Sql,
  { days, perDay, organizationId = NOBODY, endpointIds = [NOBODY], schema = 'quickquote' }: History,
): Promise<void> {
  for (let day = days; day >= 1; day -= 1) {
    await sql.unsafe(
      `with happened as (
        select n, at, (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
          || substr(gen_random_uuid()::text, 16, 3) || 'a' || substr(gen_random_uuid()::text, 21))::uuid as id,
          ($2::uuid[])[1 + n % $5::int] as endpoint_id
        from (
          select n, date_trunc('milliseconds',
            now() - interval '1 hour' - $3::int * interval '1 day' + n * interval '1 day' / $4::int) as at
          from generate_series(1, $4::int) n
        ) moment
      ), event as (
        insert into ${schema}.events (id, organization_id, type, generation_source, body, feed_position, created_at)
        select id, $1::uuid, '${EVENT_TYPE}', 'api_key', $6, nextval('${schema}.feed_positions'), at from happened order by at
      )
      insert into ${schema}.delivery_attempts (id, delivery_id, attempt, organization_id, endpoint_id, event_id, event_type,
        is_test, status, http_status, duration_ms, created_at)
      select gen_random_uuid(), (left(id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, 1, $1::uuid, endpoint_id, id,
        '${EVENT_TYPE}', false, case when n % 50 = 0 then 'exhausted' else 'succeeded' end,
        case when n % 50 = 0 then 500 else 200 end, 20, at
      from happened order by at`,
      [organizationId, endpointIds, day, perDay, endpointIds.length, BODY],
    )
  }
  await sql.unsafe(`vacuum analyze ${schema}.events, ${schema}.delivery_attempts`)
}
