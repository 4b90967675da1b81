import type { PageRequest } from '@quickquote/core'
import type { AttemptFilter, Undelivered } from '@quickquote/core/internal'
import { AFTER, given, newestFirst } from '../connection/page.ts'
import { bool, columnsOf, nullable, selected, statement, text } from '../connection/statement.ts'
import { urlOf } from '../endpoints/webhook-endpoints.sql.ts'
import { deliveryIds, FIRST_UUID, LAST_UUID } from '../ids.ts'
import { deliveryAttempts } from '../schema.ts'

const RECORDED = columnsOf(
  deliveryAttempts,
  ['id', 'delivery_id', 'endpoint_id', 'event_id', 'event_type', 'quotation_id', 'attempt'],
  ['status', 'http_status', 'error', 'duration_ms', 'is_test', 'check_kind', 'created_at', 'next_attempt_at'],
)

/** What was to follow does not, once the delivery is parked. */
const { next_attempt_at } = RECORDED
const unparked: typeof next_attempt_at = {
  ...next_attempt_at,
  select(at) {
    const left = `case when ${at} is not null and not exists (
        select from $schema.deliveries parked where parked.id = attempt.delivery_id and parked.parked_at < ${at} offset 0
      ) then ${at} end`
    return next_attempt_at.select?.(left) ?? left
  },
}
const ATTEMPT: typeof RECORDED = { ...RECORDED, next_attempt_at: unparked }

/** `is_last`: the page examines no further attempts; it is a match, or not. */
const LISTED = { ...ATTEMPT, url: nullable(text), is_match: bool, is_last: bool }

/** An index serves these. */
const OF_ORGANIZATION = 'organization_id = $organization_id'
/** A literal, because the indexes of failures do not match a parameter. */
const OF_FAILURES = `${OF_ORGANIZATION} and status <> 'succeeded'`

/**
 * The attempts that a page may examine, and how many of them it may look up, to see whether they are the newest or their
 * events undelivered. This many take less than 20 ms.
 */
const [MOST_EXAMINED, MOST_LOOKED_UP] = [6500, 350]

/**
 * The list with these filters. One that an index serves reads little more than the page, and sorts little more; any other
 * examines a bounded number of attempts.
 */
export function listAttempts(filter: AttemptFilter, after: PageRequest['after']) {
  const { event_id, quotation_ids, http_status } = filter
  const conditions = conditionsOf(filter, after)
  const { indexed, wanted, withStatus, lookedUp } = conditions
  // The index by response is in this order, which PostgreSQL does not see for null.
  const order = `${http_status?.to === 0 ? 'attempt.http_status, ' : ''}${newestFirst('attempt')}`
  const prepare = http_status === null ? undefined : false
  const newest = (rows: string) =>
    statement(
      LISTED,
      `select ${selected(ATTEMPT, 'attempt')}, ${urlOf('attempt')} as url, true as is_match, false as is_last
        from ${rows} order by ${order} limit $limit`,
      prepare,
    )
  if (event_id !== null || quotation_ids !== null) {
    return newest(`(${ofEvents(filter)}) attempt where ${indexed}${wanted}${withStatus}${lookedUp}`)
  }
  const isPlain = wanted === '' && lookedUp === ''
  if (isPlain && http_status !== null && isOfFailures(filter)) {
    if (http_status.from < http_status.to) return newest(`(${failuresWith(indexed)}) attempt`)
    return newest(`$schema.delivery_attempts attempt where ${indexed}`)
  }
  if (isPlain && http_status === null) return newest(`$schema.delivery_attempts attempt where ${indexed}`)
  return search(conditions, order)
}

/** Conditions of a filter. Rows that match `indexed` are adjacent in an index; `lookedUp` costs most. */
interface Conditions {
  readonly indexed: string
  readonly wanted: string
  readonly withStatus: string
  readonly lookedUp: string
}

function conditionsOf(filter: AttemptFilter, after: PageRequest['after']): Conditions {
  const { endpoint_id, http_status, undelivered } = filter
  const ofFailures = isOfFailures(filter)
  const isOneStatus = http_status !== null && http_status.from === http_status.to
  const withStatus = http_status === null ? '' : ` and ${hasStatus(http_status)}`
  const ofEndpoint = given({ endpoint_id }, { endpoint_id: 'endpoint_id = $endpoint_id' })
  const within = given(
    { ...filter, after },
    { since: 'created_at >= $since', until: 'created_at < $until', after: AFTER },
  )
  const fields = given(filter, {
    event_type: 'event_type = $event_type',
    event_id: 'event_id = $event_id::uuid',
    quotation_ids: 'quotation_id = any ($quotation_ids::uuid[])',
    status: 'status = $status',
  })
  const lookedUp = undelivered === null ? latestOf(filter) : ` and ${isUndelivered(undelivered)}`
  return ofFailures
    ? {
        indexed: `${OF_FAILURES}${isOneStatus ? withStatus : ''}${within}`,
        wanted: `${fields}${ofEndpoint}`,
        withStatus,
        lookedUp,
      }
    : { indexed: `${OF_ORGANIZATION}${ofEndpoint}${within}`, wanted: fields, withStatus, lookedUp }
}

type HttpStatuses = NonNullable<AttemptFilter['http_status']>

function hasStatus({ from, to }: HttpStatuses): string {
  if (from < to) return 'http_status between $from and $to'
  return to === 0 ? 'http_status is null' : 'http_status = $from'
}

/** The newest attempt of an event at an endpoint is also the newest of its delivery. */
function latestOf({ attempts }: AttemptFilter): string {
  return attempts === 'latest' ? ` and ${IS_LATEST}` : ''
}

/** Whether only failed attempts can match. */
function isOfFailures({ status, http_status, undelivered }: AttemptFilter): boolean {
  if (undelivered !== null || (http_status !== null && !isSuccess(http_status))) return true
  return status !== null && status !== 'succeeded'
}

/** Whether nothing can match. */
export function isContradiction(filter: AttemptFilter): boolean {
  const { status, http_status } = filter
  const isOfSuccesses = status === 'succeeded' || (http_status !== null && isSuccess(http_status))
  return isOfSuccesses && isOfFailures(filter)
}

function isSuccess({ from, to }: HttpStatuses): boolean {
  return from >= 200 && to < 300
}

/** All attempts of one event, or of the events of quotations: the ids of an event's deliveries begin with its time. */
function ofEvents({ event_id }: AttemptFilter): string {
  const spans = (events: string) => `select id, $schema.first_delivery_of(id) as first,
      $schema.last_delivery_of(id) as last
    from (${events}) event`
  // Attempts whose events are no longer kept are few: retries and resends of the days after.
  const found =
    event_id !== null
      ? // "offset 0" hides the value from the planner: if it knew it, the list would be planned for each event.
        spans('select $event_id::uuid as id offset 0')
      : `${spans(`select id from $schema.events
          where ${OF_ORGANIZATION} and quotation_id = any ($quotation_ids::uuid[])`)}
        union all
        select null, '${FIRST_UUID}'::uuid, coalesce((
          select $schema.first_delivery_of(id) from $schema.events order by id limit 1
        ), '${LAST_UUID}'::uuid)`
  return `select attempt.* from (${found}) span cross join lateral (
      select * from $schema.delivery_attempts
      where delivery_id >= span.first and delivery_id <= span.last
        and (span.id is null or event_id = span.id)
      offset 0
    ) attempt`
}

/** The newest failures with each status of a class. Looks only for statuses that occur. */
function failuresWith(indexed: string): string {
  const next = (
    condition: string,
  ) => `select attempt.http_status as code from $schema.delivery_attempts attempt
      where ${OF_FAILURES} and ${condition} and attempt.http_status <= $to
      order by 1 limit 1`
  return `with recursive found as (
        (${next('attempt.http_status >= $from')})
        union all
        select next.code from found cross join lateral (${next('attempt.http_status > found.code')}) next
      )
      select attempt.* from found cross join lateral (
        select * from $schema.delivery_attempts attempt where ${indexed} and attempt.http_status = found.code
        order by created_at desc, id desc limit $limit
      ) attempt`
}

/**
 * The matches among the rows that a page may examine, and those of them that it may look up. The last row of either is
 * selected whether it matches or not: the next page begins after it.
 */
function search({ indexed, wanted, withStatus, lookedUp }: Conditions, order: string) {
  const first = (most: number, rows: string, isLast: string) => `(
      select *, row_number() over (order by ${order}) = ${most} as ${isLast} from ${rows}
      order by ${order} limit ${most}
    ) attempt`
  const examined = first(
    MOST_EXAMINED,
    `$schema.delivery_attempts attempt where ${indexed}`,
    'is_last_examined',
  )
  const possible = first(
    MOST_LOOKED_UP,
    `${examined} where true${wanted}${withStatus} or is_last_examined`,
    'is_last_looked_up',
  )
  // "offset 0" keeps the planner from repeating the conditions.
  return statement(
    LISTED,
    `select ${selected(ATTEMPT, 'attempt')}, ${urlOf('attempt')} as url, is_match,
        is_last_examined or is_last_looked_up as is_last
      from (
        select *, coalesce(true${wanted}${withStatus}${lookedUp}, false) as is_match
        from ${possible} order by ${order} offset 0
      ) attempt
      where is_match or is_last_examined or is_last_looked_up order by ${order} limit $limit`,
    false,
  )
}

/**
 * Matches the newest attempt of an event that has never reached the endpoint, over all deliveries, including resends
 * and replays: each is looked up in the primary key. "offset 0" prevents a join with the whole table, "is not distinct
 * from" use of the index of an endpoint's attempts.
 */
function isUndelivered(which: Undelivered): string {
  const left = (more: string) =>
    `exists (select from $schema.deliveries queued where queued.id = attempt.delivery_id ${more} offset 0)`
  const and = {
    all: '',
    retrying: `and ${left('and queued.parked_at is null')}`,
    given_up: `and not ${left('')}`,
  }[which]
  return `not attempt.is_test and attempt.status <> 'succeeded' ${and} and not exists (
    select from $schema.delivery_attempts other
    where ${deliveryIds('attempt.event_id', 'other.delivery_id')}
      and other.event_id = attempt.event_id and other.endpoint_id is not distinct from attempt.endpoint_id
      and (other.status = 'succeeded'
        or (other.created_at, other.attempt, other.id) > (attempt.created_at, attempt.attempt, attempt.id))
    offset 0
  )`
}

/** Matches the newest attempt of each delivery. After one without a next attempt there is none to look for. */
const IS_LATEST = `(attempt.next_attempt_at is null or not exists (
    select from $schema.delivery_attempts later
    where later.delivery_id = attempt.delivery_id and later.attempt > attempt.attempt
    offset 0
  ))`
