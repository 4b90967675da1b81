import { Type } from '@sinclair/typebox'
import type { DeliveryAttempt } from './delivery.ts'
import { IntegrationError } from './errors.ts'
import { PAGE_PARAMETERS, type Page, readPage } from './page.ts'
import { Uuid } from './schema.ts'
import { type Member, requireManageIntegrations } from './session.ts'
import type { Storage, StoredAttempt } from './storage.ts'
import { validateUrlPart } from './validator.ts'
import { eventIdOf } from './webhook-event.ts'

/** What a list of delivery attempts may ask for (specification, `GET /deliveries`). */
export const DeliveryLogQuery = Type.Object({
  endpoint_id: Type.Optional(Uuid),
  ...PAGE_PARAMETERS,
})

export interface DeliveryLog {
  /**
   * Lists the delivery attempts of an organization, tests included, the newest first. `query` is what DeliveryLogQuery
   * says; `endpoint_id` may be a deleted endpoint's.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  list(member: Member, query?: unknown): Promise<Page<DeliveryAttempt>>
}

export function createDeliveryLog(storage: Storage): DeliveryLog {
  return {
    async list(member, query = {}) {
      requireManageIntegrations(member)
      const { organizationId } = member
      const { endpoint_id, ...page } = validateUrlPart(DeliveryLogQuery, query, '?')
      if (endpoint_id !== undefined && !(await storage.hadWebhookEndpoint(organizationId, endpoint_id))) {
        throw new IntegrationError('WEBHOOK_ENDPOINT_NOT_FOUND')
      }
      const filter = { endpoint_id: endpoint_id ?? null }
      const { items, nextCursor } = await readPage(page, (request) =>
        storage.listDeliveryAttempts(organizationId, filter, request),
      )
      return { items: await withNames(organizationId, items), nextCursor }
    },
  }

  async function withNames(
    organizationId: string,
    attempts: readonly StoredAttempt[],
  ): Promise<DeliveryAttempt[]> {
    const ids = new Set(attempts.flatMap(({ quotation_id }) => quotation_id ?? []))
    const names = await storage.findQuotationNames(organizationId, [...ids])
    return attempts.map((attempt) => {
      const name = names.get(attempt.quotation_id ?? '')
      const event_id = eventIdOf(attempt.event_id)
      return { ...attempt, event_id, ...(name === undefined ? {} : { quotation_name: name }) }
    })
  }
}
