import type { Integrations } from '@quickquote/core'
import {
  Delivery,
  DeliveryAttempt,
  DeliveryHour,
  DeliveryHoursQuery,
  deliveryLogQuery,
  EndpointStatistics,
  Type,
} from '@quickquote/core/internal'
import { PAGE_HEADERS, pageAnswer } from '../answers/links.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

const identity = {
  event_id: `evt_${EXAMPLE.eventId}`,
  event_type: 'quotation.completed',
  endpoint_id: EXAMPLE.endpointId,
  endpoint_name: 'CRM',
  quotation_id: EXAMPLE.quotationId,
  quotation_name: 'Customer portal',
  is_test: false,
}
const attempt = {
  ...identity,
  id: EXAMPLE.attemptId,
  check_kind: null,
  delivery_id: EXAMPLE.deliveryId,
  attempt: 1,
  url: 'https://crm.example.com/webhooks/quick-quote',
  status: 'failed',
  http_status: 500,
  error: 'The receiver answered 500.',
  duration_ms: 84,
  created_at: EXAMPLE.finishedAt,
  next_attempt_at: '2026-11-21T10:09:51.330Z',
}
const delivery = {
  ...identity,
  id: EXAMPLE.deliveryId,
  status: 'pending',
  next_attempt_at: attempt.next_attempt_at,
  resent_as: null,
  resent_from: null,
  request_body: `{"id":"evt_${EXAMPLE.eventId}","type":"quotation.completed",…}`,
}
const common = { access: 'manage_integrations', tag: 'Webhooks' } as const

/** The deliveries of an organization (specification, `GET /deliveries`). */
export function deliveryRoutes({
  deliveryLog,
  settings: { productName, events },
}: Integrations): readonly SessionRoute[] {
  const listQuery = deliveryLogQuery(events)
  const details = {
    ...attempt,
    request_headers: {
      'Content-Type': 'application/json',
      [`X-${productName}-Event-Id`]: identity.event_id,
      [`X-${productName}-Event-Type`]: identity.event_type,
      [`X-${productName}-Event-Sequence`]: '6',
      [`X-${productName}-Timestamp`]: '1795255781',
    },
    response_body: '{"error":"the CRM is being updated"}',
    response_headers: { server: 'nginx', 'content-type': 'application/json' },
    first_byte_ms: 83,
  }
  return [
    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/deliveries',
      operationId: 'listDeliveryAttempts',
      summary: 'List delivery attempts',
      description:
        'Lists attempts, including tests, newest first. You can still filter by a deleted endpoint. Where few of many attempts match, a page may be short or empty although there is a next one.',
      query: listQuery,
      answer: {
        status: 200,
        description: 'The attempts.',
        schema: Type.Array(DeliveryAttempt),
        example: [attempt],
        headers: PAGE_HEADERS,
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: async ({ member, query, ...call }) =>
        pageAnswer(await deliveryLog.list(member, query), call, listQuery),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/deliveries/hours',
      operationId: 'countDeliveryAttempts',
      summary: 'Count delivery attempts by hour',
      description:
        'Counts successful, failed and given-up attempts per hour (UTC), without tests and without empty hours. At most seven days.',
      query: DeliveryHoursQuery,
      answer: {
        status: 200,
        description: 'The hours, oldest first.',
        schema: Type.Array(DeliveryHour),
        example: [{ hour: '2026-11-21T10:00:00.000Z', delivered: 54, failed: 2, given_up: 1 }],
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: ({ member, query }) => deliveryLog.hours(member, query),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/:id/statistics',
      operationId: 'getEndpointStatistics',
      summary: 'Get response times and failures of a webhook endpoint',
      description:
        'Covers the newest 1,000 attempts, without tests. The times are those of attempts with a response.',
      answer: {
        status: 200,
        description: 'The statistics.',
        schema: EndpointStatistics,
        example: {
          attempts: 1000,
          median_ms: 112,
          p95_ms: 480,
          failures: { timeout: 3, tls: 0, refused: 1, client_error: 0, server_error: 12, other: 0 },
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: ({ member, params }) => deliveryLog.statistics(member, params.id),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/deliveries/:deliveryId',
      operationId: 'getDelivery',
      summary: 'Get a delivery with all of its attempts',
      description: 'Returns the request, the responses of the receiver, and their durations.',
      answer: {
        status: 200,
        description: 'The delivery.',
        schema: Delivery,
        example: { ...delivery, attempts: [details] },
      },
      errors: ['DELIVERY_NOT_FOUND'],
      handle: ({ member, params }) => deliveryLog.get(member, params.deliveryId),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/deliveries/:deliveryId/resend',
      operationId: 'resendDelivery',
      summary: 'Resend the event of a delivery',
      description:
        'Creates a new delivery to the same endpoint, with the same event ID: receivers that deduplicate see it once. A pending or parked old delivery is dropped.',
      answer: {
        status: 202,
        description: 'The new delivery.',
        schema: Delivery,
        example: { ...delivery, next_attempt_at: EXAMPLE.finishedAt, attempts: [] },
      },
      errors: ['DELIVERY_NOT_FOUND', 'STATE_CONFLICT'],
      handle: ({ member, params }) => deliveryLog.resend(member, params.deliveryId),
    }),
  ]
}
