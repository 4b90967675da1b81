import type { Integrations } from '@quickquote/core'
import {
  CatalogEntry,
  createWebhookEndpointBody,
  eventCatalogOf,
  ReceiverCheck,
  receiverCheckBody,
  rotateSecretBody,
  TestDeliveryResult,
  Type,
  testDeliveryBody,
  updateWebhookEndpointBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookSummary,
} from '@quickquote/core/internal'
import type { NameMembers } from '../answers/member-names.ts'
import { ADMIT_TEST } from '../auth/request-state.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { jsonBody, NO_CONTENT, type SessionRoute, sessionRoute } from '../route.ts'

const settings = {
  name: 'CRM',
  url: 'https://crm.example.com/webhooks/quick-quote',
  events: ['quotation.completed', 'quotation.failed'],
  description: 'Moves the deal forward when the quote arrives.',
  trigger_mode: 'headless_only',
  ordering: 'none',
  is_enabled: true,
}
const withHeaders = { ...settings, headers: { Authorization: 'Bearer the-token-of-your-gateway' } }
const endpoint = {
  id: EXAMPLE.endpointId,
  organization_id: EXAMPLE.organizationId,
  ...settings,
  header_names: ['Authorization'],
  disabled_reason: null,
  health: {
    last_success_at: EXAMPLE.finishedAt,
    failing_since: null,
    recent_attempts: 100,
    recent_success_rate: 0.98,
    changed_before_failing: null,
  },
  paused_until: null,
  secret_hint: 'whsec_…Wx8=',
  previous_secret_expires_at: null,
  previous_secrets: [],
  created_at: EXAMPLE.startedAt,
  updated_at: EXAMPLE.startedAt,
}
const common = { access: 'manage_integrations', tag: 'Webhooks' } as const

/** Webhook endpoints of an organization (specification, "Organization webhook configuration API"). */
export function webhookRoutes(
  { webhookEndpoints, testDeliveries, settings }: Integrations,
  nameMembers: NameMembers,
): readonly SessionRoute[] {
  const { limits, events } = settings

  /** Names who changed an endpoint before it failed. */
  async function namedAll<Endpoint extends WebhookEndpoint>(
    endpoints: readonly Endpoint[],
  ): Promise<readonly Endpoint[]> {
    const changes = endpoints.flatMap(({ id, organization_id, health }) => {
      const { changed_before_failing: change } = health
      return change === null ? [] : [{ ...change, id, organization_id }]
    })
    const named = await nameMembers(changes, 'actor_id', 'actor_name')
    const byId = new Map(named.map(({ id, organization_id: _, ...change }) => [id, change]))
    return endpoints.map((each) => {
      const change = byId.get(each.id)
      return change === undefined
        ? each
        : { ...each, health: { ...each.health, changed_before_failing: change } }
    })
  }
  const named = async <Endpoint extends WebhookEndpoint>(endpoint: Endpoint) =>
    (await namedAll([endpoint]))[0] ?? endpoint

  return [
    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/events',
      operationId: 'listWebhookEvents',
      summary: 'List the event catalog',
      description: 'Each event type has an example payload.',
      answer: {
        status: 200,
        description: 'The event catalog.',
        schema: Type.Array(CatalogEntry),
        get example() {
          return JSON.parse(JSON.stringify(eventCatalogOf(events, EXAMPLE.organizationId)))
        },
      },
      errors: [],
      handle: async ({ member }) => webhookEndpoints.eventCatalog(member),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '',
      operationId: 'listWebhookEndpoints',
      summary: 'List the webhook endpoints',
      description: 'Lists endpoints, oldest first, without deleted ones.',
      answer: {
        status: 200,
        description: 'The endpoints, without their secrets.',
        schema: Type.Array(WebhookEndpoint),
        example: [endpoint],
      },
      errors: [],
      handle: async ({ member }) => namedAll(await webhookEndpoints.list(member)),
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/summary',
      operationId: 'summarizeWebhookEndpoints',
      summary: 'Summarize the webhook endpoints',
      description:
        'A hundred bytes for a screen that looks often: list the endpoints again once it has changed.',
      answer: {
        status: 200,
        description: 'The summary.',
        schema: WebhookSummary,
        example: { endpoints: 1, troubled: 0, changed_at: EXAMPLE.startedAt },
      },
      errors: [],
      handle: ({ member }) => webhookEndpoints.summary(member),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '',
      operationId: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description: 'Only this response contains the signing secret.',
      body: jsonBody(createWebhookEndpointBody(settings), withHeaders),
      answer: {
        status: 201,
        description: 'The endpoint, and its signing secret.',
        schema: WebhookEndpointWithSecret,
        example: { ...endpoint, secret: 'whsec_…' },
      },
      errors: ['WEBHOOK_ENDPOINT_LIMIT_REACHED'],
      async handle({ member, body }) {
        const { secret, ...created } = await webhookEndpoints.create(member, body)
        return { ...created, secret: secret.reveal() }
      },
    }),

    sessionRoute({
      ...common,
      access: 'view_integrations',
      method: 'GET',
      url: '/:id',
      operationId: 'getWebhookEndpoint',
      summary: 'Get a webhook endpoint',
      description:
        'The signing secret and the values of headers are never returned. A deleted endpoint is not found.',
      answer: {
        status: 200,
        description: 'The endpoint, without its secret.',
        schema: WebhookEndpoint,
        example: endpoint,
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: async ({ member, params }) => named(await webhookEndpoints.get(member, params.id)),
    }),

    sessionRoute({
      ...common,
      method: 'PATCH',
      url: '/:id',
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description:
        'Changes only the given fields. Pending deliveries of a disabled endpoint are parked: they are not sent automatically later.',
      body: jsonBody(updateWebhookEndpointBody(settings), { is_enabled: false }),
      answer: {
        status: 200,
        description: 'The updated endpoint.',
        schema: WebhookEndpoint,
        example: {
          ...endpoint,
          is_enabled: false,
          disabled_reason: 'requested',
          updated_at: EXAMPLE.finishedAt,
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: async ({ member, params, body }) =>
        named(await webhookEndpoints.update(member, params.id, body)),
    }),

    sessionRoute({
      ...common,
      method: 'DELETE',
      url: '/:id',
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description: 'Nothing more is sent to it. Its delivery history is kept.',
      answer: NO_CONTENT,
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      handle: ({ member, params }) => webhookEndpoints.delete(member, params.id),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Issue a new signing secret',
      description:
        'Only this response contains the secret. With `overlap_seconds`, deliveries also carry a signature of the old secret for that long, in a separate header. Another rotation meanwhile changes nothing about that, unless three earlier secrets still sign: then it ends the oldest.',
      body: jsonBody(rotateSecretBody(limits), { overlap_seconds: 3600 }),
      bodyIsOptional: true,
      answer: {
        status: 200,
        description: 'The endpoint, and its new signing secret.',
        schema: WebhookEndpointWithSecret,
        example: {
          ...endpoint,
          previous_secret_expires_at: '2026-11-21T11:09:41.250Z',
          previous_secrets: [{ secret_hint: 'whsec_…Qz4=', expires_at: '2026-11-21T11:09:41.250Z' }],
          updated_at: EXAMPLE.finishedAt,
          secret: 'whsec_…',
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      async handle({ member, params, body }) {
        const { secret, ...rotated } = await webhookEndpoints.rotateSecret(member, params.id, body)
        return { ...(await named(rotated)), secret: secret.reveal() }
      },
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/test',
      operationId: 'testWebhookEndpoint',
      limit: 'tests',
      summary: 'Send a sample event',
      description: `Sent once, like any delivery, whether or not the endpoint is enabled. Waits for the receiver's response. At most ${limits.testsPerEndpointPerMinute} per minute and endpoint, and ${limits.testsPerOrganizationPerMinute} per minute and organization; a test that is not sent does not count.`,
      body: jsonBody(testDeliveryBody(events), { event_type: 'quotation.completed' }),
      answer: {
        status: 200,
        description: 'The result of the test.',
        schema: TestDeliveryResult,
        example: {
          success: false,
          http_status: 500,
          error: 'The receiver answered 500.',
          attempt_id: EXAMPLE.attemptId,
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'RATE_LIMITED'],
      handle({ member, params, body, request, clientSignal }) {
        const { [ADMIT_TEST]: admit } = request
        const options = { signal: clientSignal(), ...(admit && { admit }) }
        return testDeliveries.send(member, params.id, body, options)
      },
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/check',
      operationId: 'checkWebhookReceiver',
      limit: 'tests',
      summary: 'Check the receiver',
      description:
        'Sends, as tests, a genuine event, one with forged signatures, one with a timestamp of ten minutes ago, the genuine one again (the receiver may act on it twice), and during the overlap of a rotation one with the signature of the previous secret alone. Compares each response with that of a good receiver, which responds to a repeated event with 2xx. The repeated one is sent once the genuine one has been answered, if that takes less than five seconds. Counts as five tests, or as all tests per minute if those are fewer.',
      body: jsonBody(receiverCheckBody(events), { event_type: 'quotation.completed' }),
      bodyIsOptional: true,
      answer: {
        status: 200,
        description: 'The deliveries, and how the receiver answered each.',
        schema: ReceiverCheck,
        example: {
          verdict: 'The receiver accepts forged signatures: verify the signature before anything else.',
          results: [
            { kind: 'genuine', expected: '2xx', http_status: 204, error: null, passed: true },
            { kind: 'forged', expected: '4xx', http_status: 204, error: null, passed: false },
            { kind: 'old', expected: '4xx', http_status: 204, error: null, passed: false },
            { kind: 'repeated', expected: '2xx', http_status: 204, error: null, passed: true },
          ],
        },
      },
      errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'RATE_LIMITED'],
      handle({ member, params, body, request, clientSignal }) {
        const { [ADMIT_TEST]: admit } = request
        const options = { signal: clientSignal(), ...(admit && { admit }) }
        return testDeliveries.check(member, params.id, body, options)
      },
    }),
  ]
}
