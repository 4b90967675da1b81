import { type DeliveryLogStorage, type DeliveryStatus, isUuid } from '@quickquote/core/internal'
import { and, asc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { isAfter, newestFirst } from '../connection/page.ts'
import { readable, toDate } from '../connection/readable.ts'
import { COUNT_BY_HOUR } from './delivery-hours.sql.ts'
import { madeSince } from './delivery-id.ts'
import { RESEND } from './delivery-log.sql.ts'
import { isUndelivered } from './undelivered.ts'

/** The deliveries as members see them: see DeliveryLogStorage. */
export function deliveryLogStorage(database: Database): DeliveryLogStorage {
  const { db, tables, schema } = database
  const { deliveries, deliveryAttempts, events, webhookEndpoints } = tables
  const { organization_id, ...columns } = getTableColumns(deliveryAttempts)
  const details = readable(columns)
  const { response_body: _, first_byte_ms: __, event_sequence: ___, header_names: ____, ...attempt } = details

  function attemptsOf(organizationId: string, id: string) {
    return db
      .select(details)
      .from(deliveryAttempts)
      .where(
        and(
          eq(deliveryAttempts.delivery_id, id),
          eq(organization_id, organizationId),
          gte(deliveryAttempts.created_at, madeSince(id)),
        ),
      )
      .orderBy(asc(deliveryAttempts.attempt))
  }

  async function unfinished(organizationId: string, id: string) {
    const { endpoint_id, event_id, is_test, due_at, leased_by, parked_at } = deliveries
    const [row] = await db
      .select({
        ...readable({ endpoint_id, event_id, is_test, leased_by, parked_at }),
        // A delivery that waits for another has no known due time.
        due_at: sql`(extract(epoch from nullif(${due_at}, 'infinity')) * 1000)::bigint::text`.mapWith(toDate),
        is_active: sql<boolean>`${webhookEndpoints.is_enabled} and ${webhookEndpoints.deleted_at} is null`,
        event_type: events.type,
        quotation_id: events.quotation_id,
      })
      .from(deliveries)
      .innerJoin(events, and(eq(events.id, event_id), eq(events.created_at, deliveries.event_created_at)))
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, endpoint_id))
      .where(and(eq(deliveries.id, id), eq(deliveries.organization_id, organizationId)))
    return row
  }

  return {
    async listAttempts(organizationId, filter, { after, limit }) {
      const { endpoint_id, event_type, status, undelivered, since, until } = filter
      return db
        .select(attempt)
        .from(deliveryAttempts)
        .where(
          and(
            eq(organization_id, organizationId),
            endpoint_id === null ? undefined : eq(deliveryAttempts.endpoint_id, endpoint_id),
            event_type === null ? undefined : eq(deliveryAttempts.event_type, event_type),
            status === null ? undefined : eq(deliveryAttempts.status, status),
            // A literal, because the index of failed attempts does not match a parameter.
            status === null || status === 'succeeded'
              ? undefined
              : sql`${deliveryAttempts.status} <> 'succeeded'`,
            undelivered === null ? undefined : isUndelivered(schema, undelivered),
            since === null ? undefined : gte(deliveryAttempts.created_at, since),
            until === null ? undefined : lt(deliveryAttempts.created_at, until),
            isAfter(deliveryAttempts, after),
          ),
        )
        .orderBy(...newestFirst(deliveryAttempts))
        .limit(limit)
    },

    async find(organizationId, id) {
      if (!isUuid(id)) return null
      // In this order: a delivery that ends in between is found by its attempts.
      const row = await unfinished(organizationId, id)
      const attempts = await attemptsOf(organizationId, id)
      if (row !== undefined) {
        const { due_at, leased_by, parked_at, is_active, ...delivery } = row
        const status = statusOf({ leased_by, parked_at, is_active, is_test: row.is_test })
        return { ...delivery, id, status, next_attempt_at: status === 'pending' ? due_at : null, attempts }
      }
      const last = attempts.at(-1)
      if (last === undefined) return null
      const { event_id, event_type, endpoint_id, quotation_id, is_test } = last
      const status: DeliveryStatus = last.status === 'succeeded' ? 'succeeded' : 'failed'
      return {
        id,
        event_id,
        event_type,
        endpoint_id,
        quotation_id,
        is_test,
        status,
        next_attempt_at: null,
        attempts,
      }
    },

    async findBody(organizationId, eventId) {
      const [row] = await db
        .select({ body: events.body })
        .from(events)
        .where(
          and(
            eq(events.id, eventId),
            eq(events.organization_id, organizationId),
            gte(events.created_at, madeSince(eventId)),
          ),
        )
      return row?.body ?? null
    },

    async countByHour(organizationId, { endpoint_id, since, until }) {
      const wanted = { organization_id: organizationId, endpoint_id, since, until }
      const rows = await database.run(COUNT_BY_HOUR, wanted)
      return rows.map(({ hour, ...counts }) => ({ hour: toDate(hour), ...counts }))
    },

    async resend(organizationId, { id, event_id, endpoint_id }, now) {
      const wanted = { id, organization_id: organizationId, event_id, endpoint_id, now }
      const [resent] = await database.run(RESEND, wanted)
      if (resent === undefined) return null
      await database.wake()
      return resent.id
    },
  }
}

/**
 * Tests are parked while they wait for a worker. Deliveries to a disabled or deleted endpoint count as parked, even if
 * the row of a long backlog is not updated yet.
 */
function statusOf(row: {
  leased_by: string | null
  parked_at: Date | null
  is_active: boolean
  is_test: boolean
}): DeliveryStatus {
  if (row.leased_by !== null) return 'sending'
  if (row.is_test) return 'pending'
  return row.parked_at === null && row.is_active ? 'pending' : 'parked'
}
