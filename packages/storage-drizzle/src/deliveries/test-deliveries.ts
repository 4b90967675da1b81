import type { TestDeliveryStorage } from '@quickquote/core/internal'
import { and, eq, gte } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { madeSince } from './delivery-id.ts'

/** Test deliveries in PostgreSQL: see TestDeliveryStorage. */
export function testDeliveryStorage(database: Database): TestDeliveryStorage {
  const { db, tables, schema } = database
  const { deliveries, deliveryAttempts } = tables
  const { id, status, http_status, error } = deliveryAttempts

  const byId = (organizationId: string, deliveryId: string) =>
    and(eq(deliveries.id, deliveryId), eq(deliveries.organization_id, organizationId))

  return {
    async insert(event, delivery) {
      // Parked, so that no claim of the outbox sees it, and none of its rules apply.
      await database.run(
        `with event as (
           insert into ${schema}.events (id, organization_id, type, quotation_id, sequence, body, created_at,
             generation_source, traceparent, tracestate, is_test)
           values ($1, $2, $3, $4, case when $4::uuid is not null then 1 end, $5, $6, $7, $10, $11, true)
         )
         insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
           is_test, parked_at)
         values ($8, $2, $9, $1, $6, $6, true, $6)`,
        [
          event.id,
          event.organization_id,
          event.type,
          event.quotation_id,
          event.body,
          event.created_at,
          event.generation_source,
          delivery.id,
          delivery.endpointId,
          event.trace?.traceparent ?? null,
          event.trace?.tracestate ?? null,
        ],
      )
      await database.wake()
    },

    async find(organizationId, deliveryId) {
      // Asked in this order: a worker removes the delivery and records its attempt at once.
      const [delivery] = await db
        .select({ leased_by: deliveries.leased_by })
        .from(deliveries)
        .where(byId(organizationId, deliveryId))
      if (delivery !== undefined) {
        return { state: delivery.leased_by === null ? 'waiting' : 'sending', attempt: null }
      }
      const [attempt] = await db
        .select({ id, status, http_status, error })
        .from(deliveryAttempts)
        .where(
          and(
            eq(deliveryAttempts.delivery_id, deliveryId),
            eq(deliveryAttempts.organization_id, organizationId),
            gte(deliveryAttempts.created_at, madeSince(deliveryId)),
          ),
        )
      return { state: 'over', attempt: attempt ?? null }
    },

    async withdraw(organizationId, deliveryId) {
      const withdrawn = await database.run(
        `delete from ${schema}.deliveries
         where id = $1 and organization_id = $2 and is_test and leased_by is null
         returning 1 as withdrawn`,
        [deliveryId, organizationId],
      )
      return withdrawn.length > 0
    },
  }
}
