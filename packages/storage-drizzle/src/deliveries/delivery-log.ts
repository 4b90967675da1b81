import { type DeliveryLogStorage, isUuid } from '@quickquote/core/internal'
import { and, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { isAfter, newestFirst } from '../connection/page.ts'
import { readable } from '../connection/readable.ts'
import { COUNT_BY_HOUR } from './delivery-hours.sql.ts'
import { madeSince } from './delivery-id.ts'
import { FIND_ATTEMPTS, FIND_BODY, FIND_UNFINISHED, RESEND } from './delivery-log.sql.ts'
import { isUndelivered } from './undelivered.ts'

/** The deliveries as members see them: see DeliveryLogStorage. */
export function deliveryLogStorage({ db, run, schema, tables, wake }: Database): DeliveryLogStorage {
  const { deliveryAttempts } = tables
  const { organization_id, response_body, first_byte_ms, event_sequence, header_names, ...summary } =
    getTableColumns(deliveryAttempts)
  const attempt = readable(summary)

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
      const which = { organization_id: organizationId, id }
      // In this order: a delivery that ends in between is found by its attempts.
      const [unfinished] = await run(FIND_UNFINISHED, which)
      const attempts = await run(FIND_ATTEMPTS, { ...which, since: madeSince(id) })
      if (unfinished !== undefined) {
        const { due_at, ...delivery } = unfinished
        return { ...delivery, id, next_attempt_at: delivery.status === 'pending' ? due_at : null, attempts }
      }
      const last = attempts.at(-1)
      if (last === undefined) return null
      const { event_id, event_type, endpoint_id, quotation_id, is_test } = last
      const status = last.status === 'succeeded' ? 'succeeded' : 'failed'
      const delivery = { id, event_id, event_type, endpoint_id, quotation_id, is_test }
      return { ...delivery, status, next_attempt_at: null, attempts }
    },

    async findBody(organizationId, eventId) {
      const wanted = { organization_id: organizationId, event_id: eventId, since: madeSince(eventId) }
      const [event] = await run(FIND_BODY, wanted)
      return event?.body ?? null
    },

    countByHour: (organizationId, { endpoint_id, since, until }) =>
      run(COUNT_BY_HOUR, { organization_id: organizationId, endpoint_id, since, until }),

    async resend(organizationId, { id, event_id, endpoint_id }, now) {
      const wanted = { id, organization_id: organizationId, event_id, endpoint_id, now }
      const [resent] = await run(RESEND, wanted)
      if (resent === undefined) return null
      await wake()
      return resent.id
    },
  }
}
