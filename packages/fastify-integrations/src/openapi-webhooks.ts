import { type CatalogEntry, eventCatalogOf, WebhookEvent } from '@quickquote/core'
import { EXAMPLE } from './examples.ts'

/** The events of the catalog, as the `webhooks` of an OpenAPI document (specification, "Events"). */
export function openapiWebhooks(productName: string): Record<string, object> {
  return Object.fromEntries(
    eventCatalogOf(EXAMPLE.organizationId).map((event) => [
      event.type,
      { post: operationOf(event, productName) },
    ]),
  )
}

function operationOf(event: CatalogEntry, productName: string): object {
  const header = (name: string, description: string, required = true) => ({
    name: `X-${productName}-${name}`,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  return {
    operationId: `on_${event.type.replaceAll('.', '_')}`,
    summary: event.description,
    security: [],
    parameters: [
      header('Event-Id', 'The `id` of the payload. Deduplicate on it.'),
      header('Event-Type', 'The `type` of the payload.'),
      header('Timestamp', 'Unix time in seconds when the delivery was signed.'),
      header(
        'Signature',
        '`v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret.',
      ),
      header(
        'Signature-Previous',
        'The same, keyed with the secret before the last rotation: only while that one overlaps.',
        false,
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [WebhookEvent, { type: 'object', properties: { type: { enum: [event.type] } } }],
          },
          examples: { example: { value: event.example } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. Answer within 10 seconds.' },
      '410': { description: 'Not wanted: this event is not sent again.' },
    },
  }
}
