import type { AttemptFilter, DeliveryLogStorage } from '@quickquote/core/internal'
import { and, asc, between, eq, getTableColumns, gte, isNull, lt, type SQL, Subquery, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { isAfter, newestFirst, readable } from '../connection/readable.ts'
import { inSchema } from '../connection/statement.ts'
import { urlOf } from '../endpoints/webhook-endpoints.sql.ts'
import type { Tables } from '../schema.ts'
import { FIRST_UUID, LAST_UUID, madeSinceOf } from './delivery-id.ts'
import { isLatest, isUndelivered } from './undelivered.ts'

/** The name of the listed rows in the statement. */
const ATTEMPT = 'attempt'

/** The table by that name, and what members see of a row. */
function attemptRows({ tables, schema }: Pick<Database, 'tables' | 'schema'>) {
  const attempts = alias(tables.deliveryAttempts, ATTEMPT) as unknown as Tables['deliveryAttempts']
  const { organization_id: _, endpoint_version: __, ...columns } = getTableColumns(attempts)
  const url = sql<string | null>`${sql.raw(inSchema(urlOf(ATTEMPT), schema))}`.as('url')
  return { attempts, columns: { ...readable(columns), url } }
}

/** See DeliveryLogStorage. Whatever the filter, a list reads little more than its page, and sorts little more. */
export function attemptList(database: Database): Pick<DeliveryLogStorage, 'listAttempts'> {
  const { db, tables, schema } = database
  const raw = (text: string) => sql.raw(inSchema(text, schema))
  const { attempts, columns: details } = attemptRows(database)
  const { response_body: _, first_byte_ms: __, event_sequence: ___, header_names: ____, ...columns } = details

  /** All attempts of one event, or of the events of a quotation: the ids of an event's deliveries begin with its time. */
  function ofEvents(organizationId: string, { event_id, quotation_id }: AttemptFilter): SQL {
    const spans = (events: SQL) => sql`select id, ${sql.raw(madeSinceOf('id'))} as since,
        ${raw('$schema')}.first_delivery_of(id) as first, ${raw('$schema')}.last_delivery_of(id) as last
      from (${events}) event`
    // Attempts whose events are no longer kept are few: retries and resends of the days after.
    const found =
      event_id !== null
        ? spans(sql`select ${event_id}::uuid as id`)
        : sql`${spans(sql`select id from ${tables.events}
            where organization_id = ${organizationId} and quotation_id = ${quotation_id}`)}
          union all
          select null, '-infinity', ${FIRST_UUID}::uuid, coalesce((
            select ${raw('$schema')}.first_delivery_of(id) from ${tables.events} order by id limit 1
          ), ${LAST_UUID}::uuid)`
    return sql`select attempt.* from (${found}) span cross join lateral (
      select * from ${tables.deliveryAttempts}
      where delivery_id >= span.first and delivery_id <= span.last and created_at >= span.since
        and (span.id is null or event_id = span.id)
      offset 0
    ) attempt`
  }

  /** The newest failures with each status of a class. Looks only for statuses that occur. */
  function failuresOf(
    organizationId: string,
    { from, to }: HttpStatuses,
    where: SQL | undefined,
    limit: number,
  ): SQL {
    const next = (
      condition: SQL,
    ) => sql`select attempt.http_status as code from ${tables.deliveryAttempts} attempt
      where organization_id = ${organizationId} and status <> 'succeeded' and ${condition} and attempt.http_status <= ${to}
      order by 1 limit 1`
    return sql`with recursive found as (
        (${next(sql`attempt.http_status >= ${from}`)})
        union all
        select next.code from found cross join lateral (${next(sql`attempt.http_status > found.code`)}) next
      )
      select attempt.* from found cross join lateral (
        select * from ${tables.deliveryAttempts} attempt where ${where} and attempt.http_status = found.code
        order by created_at desc, id desc limit ${limit}
      ) attempt`
  }

  return {
    async listAttempts(organizationId, filter, { after, limit }) {
      const { event_id, quotation_id, http_status, undelivered, since, until } = filter
      const { endpoint_id, event_type, status } = filter
      const equals = { endpoint_id, event_type, event_id, quotation_id, status }
      const where = and(
        eq(attempts.organization_id, organizationId),
        ...Object.entries(equals).map(([name, value]) =>
          value === null ? undefined : sql`${attempts[name as keyof typeof equals]} = ${value}`,
        ),
        // A literal, because the indexes of failures do not match a parameter.
        isFailure(filter) ? sql`${attempts.status} <> 'succeeded'` : undefined,
        undelivered === null ? undefined : raw(isUndelivered(ATTEMPT, undelivered)),
        filter.attempts === 'latest' ? raw(isLatest(ATTEMPT)) : undefined,
        since === null ? undefined : gte(attempts.created_at, since),
        until === null ? undefined : lt(attempts.created_at, until),
        isAfter(attempts, after),
      )
      const newest = (condition: SQL | undefined, rows?: SQL) =>
        db
          .select(columns)
          .from(rows === undefined ? attempts : new Subquery(rows, {}, ATTEMPT))
          .where(condition)
          // The index by response is in this order, which PostgreSQL does not see for null.
          .orderBy(...(http_status?.to === 0 ? [asc(attempts.http_status)] : []), ...newestFirst(attempts))
          .limit(limit)
      const withStatus = http_status === null ? undefined : hasStatus(attempts, http_status)
      const isOfEvents = event_id !== null || quotation_id !== null
      if (http_status !== null && status === 'succeeded' && !isSuccess(http_status)) return []
      if (isOfEvents) return newest(and(where, withStatus), ofEvents(organizationId, filter))
      if (http_status !== null && http_status.from < http_status.to && isFailure(filter)) {
        return newest(undefined, failuresOf(organizationId, http_status, where, limit))
      }
      return newest(and(where, withStatus))
    },
  }
}

type HttpStatuses = NonNullable<AttemptFilter['http_status']>

function hasStatus(
  { http_status }: Pick<Tables['deliveryAttempts'], 'http_status'>,
  { from, to }: HttpStatuses,
) {
  if (from < to) return between(http_status, from, to)
  return to === 0 ? isNull(http_status) : eq(http_status, from)
}

function isSuccess({ from, to }: HttpStatuses): boolean {
  return from >= 200 && to < 300
}

/** Whether only failures match. */
function isFailure({ status, http_status }: AttemptFilter): boolean {
  return status === null ? http_status !== null && !isSuccess(http_status) : status !== 'succeeded'
}
