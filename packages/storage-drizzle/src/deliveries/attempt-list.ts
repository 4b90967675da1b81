import type { PageRequest } from '@quickquote/core'
import type { AttemptFilter, DeliveryLogStorage } from '@quickquote/core/internal'
import {
  and,
  asc,
  between,
  eq,
  getTableColumns,
  gte,
  isNull,
  lt,
  or,
  type SQL,
  Subquery,
  sql,
} from 'drizzle-orm'
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

/**
 * See DeliveryLogStorage. A filter that an index serves reads little more than the page, and sorts little more; any other
 * examines a bounded number of attempts.
 */
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

  function conditionsOf(
    organizationId: string,
    filter: AttemptFilter,
    after: PageRequest['after'],
  ): Conditions {
    const { endpoint_id, event_type, event_id, quotation_id, status, http_status } = filter
    const { undelivered, since, until } = filter
    const ofFailures = isOfFailures(filter)
    const withStatus = http_status === null ? undefined : hasStatus(attempts, http_status)
    const equals = { event_type, event_id, quotation_id, status, ...(ofFailures && { endpoint_id }) }
    return {
      indexed: and(
        eq(attempts.organization_id, organizationId),
        // A literal, because the indexes of failures do not match a parameter.
        ofFailures ? sql`${attempts.status} <> 'succeeded'` : undefined,
        ofFailures && http_status?.from === http_status?.to ? withStatus : undefined,
        ofFailures || endpoint_id === null ? undefined : eq(attempts.endpoint_id, endpoint_id),
        since === null ? undefined : gte(attempts.created_at, since),
        until === null ? undefined : lt(attempts.created_at, until),
        isAfter(attempts, after),
      ),
      wanted: and(
        ...Object.entries(equals).map(([name, value]) =>
          value === null ? undefined : sql`${attempts[name as keyof typeof equals]} = ${value}`,
        ),
      ),
      withStatus,
      // The newest attempt of an event at an endpoint is also the newest of its delivery.
      lookedUp:
        undelivered !== null
          ? raw(isUndelivered(ATTEMPT, undelivered))
          : filter.attempts === 'latest'
            ? raw(isLatest(ATTEMPT))
            : undefined,
    }
  }

  const asAttempts = (rows: SQL) => new Subquery(rows, {}, ATTEMPT) as unknown as typeof attempts

  /**
   * The matches among the rows that a page may examine, and those of them that it may look up. The last row of either is
   * selected whether it matches or not: the next page begins after it.
   */
  async function search({ indexed, wanted, withStatus, lookedUp }: Conditions, order: SQL, limit: number) {
    const fields = and(wanted, withStatus)
    const first = (most: SQL, from: SQL, isLast: SQL) => sql`(
        select *, row_number() over (order by ${order}) = ${most} as ${isLast} from ${from}
        order by ${order} limit ${most}
      ) attempt`
    const [isLastExamined, isLastLookedUp] = [sql`is_last_examined`, sql`is_last_looked_up`]
    const examined = first(
      MOST_EXAMINED,
      sql`${tables.deliveryAttempts} attempt where ${indexed}`,
      isLastExamined,
    )
    const possible = sql`${examined} where ${fields ?? sql`true`} or ${isLastExamined}`
    // "offset 0" prevents that the conditions are planned twice.
    const rows = sql`select *, coalesce(${and(fields, lookedUp)}, false) as is_match
      from ${first(MOST_LOOKED_UP, possible, isLastLookedUp)} order by ${order} offset 0`
    const isMatch = sql<boolean>`is_match`
    const isLast = sql<boolean>`(${isLastExamined} or ${isLastLookedUp})`
    const found = await db
      .select({ ...columns, isMatch, isLast })
      .from(asAttempts(rows))
      .where(or(isMatch, isLast))
      .orderBy(order)
      .limit(limit)
    return {
      items: found.flatMap(({ isMatch, isLast: _, ...attempt }) => (isMatch ? [attempt] : [])),
      reached: found.find(({ isLast }) => isLast) ?? null,
    }
  }

  return {
    async listAttempts(organizationId, filter, { after, limit }) {
      const { event_id, quotation_id, http_status } = filter
      if (isOfFailures(filter) && isOfSuccesses(filter)) return { items: [], reached: null }
      const conditions = conditionsOf(organizationId, filter, after)
      const { indexed, wanted, withStatus, lookedUp } = conditions
      // The index by response is in this order, which PostgreSQL does not see for null.
      const order = [...(http_status?.to === 0 ? [asc(attempts.http_status)] : []), ...newestFirst(attempts)]
      const newest = async (condition: SQL | undefined, rows?: SQL) => ({
        items: await db
          .select(columns)
          .from(rows === undefined ? attempts : asAttempts(rows))
          .where(condition)
          .orderBy(...order)
          .limit(limit),
        reached: null,
      })
      if (event_id !== null || quotation_id !== null) {
        return newest(and(indexed, wanted, withStatus, lookedUp), ofEvents(organizationId, filter))
      }
      const isPlain = wanted === undefined && lookedUp === undefined
      if (isPlain && http_status !== null && isOfFailures(filter)) {
        if (http_status.from === http_status.to) return newest(indexed)
        return newest(undefined, failuresOf(organizationId, http_status, indexed, limit))
      }
      if (isPlain && http_status === null) return newest(indexed)
      return search(conditions, sql.join(order, sql`, `), limit)
    },
  }
}

/**
 * The attempts that a page may examine, and how many of them it may look up, to see whether they are the newest or their
 * events undelivered. This many take less than 20 ms.
 */
const [MOST_EXAMINED, MOST_LOOKED_UP] = [sql.raw('10000'), sql.raw('400')]

/** The conditions of a filter. Rows that match `indexed` are adjacent in an index; `lookedUp` costs most. */
interface Conditions {
  readonly indexed: SQL | undefined
  readonly wanted: SQL | undefined
  readonly withStatus: SQL | undefined
  readonly lookedUp: SQL | undefined
}

type HttpStatuses = NonNullable<AttemptFilter['http_status']>

function hasStatus(
  { http_status }: Pick<Tables['deliveryAttempts'], 'http_status'>,
  { from, to }: HttpStatuses,
) {
  if (from < to) return between(http_status, from, to)
  return to === 0 ? isNull(http_status) : eq(http_status, from)
}

function isOfSuccesses({ status, http_status }: AttemptFilter): boolean {
  return status === 'succeeded' || (http_status !== null && isSuccess(http_status))
}

function isOfFailures({ status, http_status, undelivered }: AttemptFilter): boolean {
  if (undelivered !== null || (http_status !== null && !isSuccess(http_status))) return true
  return status !== null && status !== 'succeeded'
}

function isSuccess({ from, to }: HttpStatuses): boolean {
  return from >= 200 && to < 300
}
