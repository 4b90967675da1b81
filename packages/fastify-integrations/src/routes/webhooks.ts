import { createWebhookEndpointBody, type Integrations, WebhookEndpointWithSecret } from '@quickquote/core'
import { EXAMPLE } from '../examples.ts'
import { organizationParams } from '../organization-params.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

/** Webhook endpoints of an organization (specification, "Organization webhook configuration API"). */
export function webhookRoutes({ webhookEndpoints, settings }: Integrations): readonly SessionRoute[] {
  const example = {
    name: 'CRM',
    url: 'https://crm.example.com/webhooks/quick-quote',
    events: ['quotation.completed', 'quotation.failed'],
    description: 'Moves the deal when the quote is there.',
    trigger_mode: 'headless_only',
    is_enabled: true,
  }
  return [
    sessionRoute({
      method: 'POST',
      url: '',
      access: 'manage_integrations',
      operationId: 'createWebhookEndpoint',
      tag: 'Webhooks',
      summary: 'Create a webhook endpoint',
      description: 'The answer holds the signing secret, for the only time.',
      params: organizationParams,
      body: { 'application/json': { schema: createWebhookEndpointBody(settings.limits), example } },
      answer: {
        status: 201,
        description: 'The endpoint, and its signing secret.',
        schema: WebhookEndpointWithSecret,
        example: {
          id: EXAMPLE.endpointId,
          organization_id: EXAMPLE.organizationId,
          ...example,
          secret_hint: 'whsec_…Wx8=',
          created_at: EXAMPLE.startedAt,
          updated_at: EXAMPLE.startedAt,
          secret: 'whsec_…',
        },
      },
      errors: ['WEBHOOK_ENDPOINT_LIMIT_REACHED'],
      async handle({ member, body }) {
        const { secret, ...endpoint } = await webhookEndpoints.create(member, body)
        return { body: { ...endpoint, secret: secret.reveal() } }
      },
    }),
  ]
}
