import type { TestDeliveryStorage } from '@quickquote/core/internal'
import { and, eq, gte } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { madeSince } from './delivery-id.ts'
import { eventParameters } from './events.ts'
import { INSERT_TEST, WITHDRAW_TEST } from './test-deliveries.sql.ts'

/** See TestDeliveryStorage. */
export function testDeliveryStorage(database: Database): TestDeliveryStorage {
  const { db, tables } = database
  const { deliveries, deliveryAttempts } = tables
  const { id, status, http_status, error } = deliveryAttempts

  const byId = (organizationId: string, deliveryId: string) =>
    and(eq(deliveries.id, deliveryId), eq(deliveries.organization_id, organizationId))

  return {
    async insert(event, delivery) {
      const { id: delivery_id, endpointId: endpoint_id } = delivery
      await database.run(INSERT_TEST, { delivery_id, endpoint_id, ...eventParameters(event) })
      await database.wake()
    },

    async find(organizationId, deliveryId) {
      // In this order: a worker removes the delivery and records its attempt together.
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
      const withdrawn = await database.run(WITHDRAW_TEST, { id: deliveryId, organization_id: organizationId })
      return withdrawn.length > 0
    },
  }
}
