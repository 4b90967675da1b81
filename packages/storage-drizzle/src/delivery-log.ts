import type { DeliveryLogStorage } from '@quickquote/core'
import { and, eq, getTableColumns } from 'drizzle-orm'
import type { Database } from './database.ts'
import { isAfter, newestFirst } from './page.ts'

/** The attempts that were made, as members read them: see DeliveryLogStorage. */
export function deliveryLogStorage({ db, tables }: Database): DeliveryLogStorage {
  const { deliveryAttempts } = tables
  const { organization_id, ...attempt } = getTableColumns(deliveryAttempts)

  return {
    async listDeliveryAttempts(organizationId, { endpoint_id }, { after, limit }) {
      return db
        .select(attempt)
        .from(deliveryAttempts)
        .where(
          and(
            eq(organization_id, organizationId),
            endpoint_id === null ? undefined : eq(deliveryAttempts.endpoint_id, endpoint_id),
            isAfter(deliveryAttempts, after),
          ),
        )
        .orderBy(...newestFirst(deliveryAttempts))
        .limit(limit)
    },
  }
}
