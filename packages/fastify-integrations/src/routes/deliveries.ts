import { DeliveryAttempt, DeliveryLogQuery, type Integrations } from '@quickquote/core'
import { Type } from '@sinclair/typebox'
import { EXAMPLE } from '../examples.ts'
import { organizationParams } from '../organization-params.ts'
import { PAGE_HEADERS, pageAnswer } from '../page-answer.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

/** What was sent to the webhook endpoints of an organization (specification, `GET /deliveries`). */
export function deliveryRoutes({ deliveryLog }: Integrations): readonly SessionRoute[] {
  return [
    sessionRoute({
      method: 'GET',
      url: '/deliveries',
      access: 'manage_integrations',
      operationId: 'listDeliveryAttempts',
      tag: 'Webhooks',
      summary: 'List delivery attempts',
      description: 'The newest first, tests included. A deleted endpoint can still be asked for.',
      params: organizationParams,
      query: DeliveryLogQuery,
      answer: {
        status: 200,
        description: 'The attempts.',
        schema: Type.Array(DeliveryAttempt),
        example: [
          {
            id: EXAMPLE.attemptId,
            event_id: `evt_${EXAMPLE.eventId}`,
            event_type: 'quotation.completed',
            delivery_id: EXAMPLE.deliveryId,
            endpoint_id: EXAMPLE.endpointId,
            attempt: 1,
            status: 'failed',
            http_status: 500,
            error: 'The receiver answered 500.',
            duration_ms: 84,
            quotation_id: EXAMPLE.quotationId,
            quotation_name: 'Customer portal',
            is_test: false,
            created_at: EXAMPLE.finishedAt,
            next_attempt_at: '2026-11-21T10:09:51.330Z',
          },
        ],
        headers: PAGE_HEADERS,
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: async ({ member, query, request }) =>
        pageAnswer(await deliveryLog.list(member, query), request, DeliveryLogQuery),
    }),
  ]
}
