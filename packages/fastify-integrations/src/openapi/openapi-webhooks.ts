import type { CatalogEntry, Settings } from '@quickquote/core'
import { eventCatalogOf, QuotationEventData, type TSchema, WebhookEvent } from '@quickquote/core/internal'
import { EXAMPLE } from './examples.ts'
import { isTitledSchema, jsonContent, mapNodes, narrowed } from './openapi-shape.ts'

/** The events of the catalog, as the `webhooks` of an OpenAPI document (specification, "Events"). */
export function openapiWebhooks(settings: Settings): Record<string, object> {
  const events = eventCatalogOf(settings.events, EXAMPLE.organizationId)
  return Object.fromEntries(events.map((event) => [event.type, { post: operationOf(event, settings) }]))
}

/** The headers of the Standard Webhooks specification. */
const STANDARD_PARAMETERS = [
  parameter('webhook-id', WebhookEvent.properties.id, 'The `id` of the payload.'),
  parameter('webhook-timestamp', { type: 'integer' }, 'Unix time in seconds when the delivery was signed.'),
  parameter(
    'webhook-signature',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,3}$' },
    'The signature as specified by Standard Webhooks. During the overlap of a secret rotation, one for each secret that signs, newest first.',
  ),
]

function parameter(name: string, schema: object, description: string, required = true): object {
  return { name, in: 'header', required, description, schema }
}

/** OpenAPI has no parameter for `Content-Type`, the fifth header of the specification: it is the media type of the body. */
function operationOf({ type, description, example }: CatalogEntry, settings: Settings): object {
  const { events, productName } = settings
  const { timeoutMs, maxAttempts, standardWebhooks } = settings.delivery
  const seconds = timeoutMs / 1000
  const retries =
    maxAttempts === 1 ? 'It is not retried.' : `It is retried, up to ${maxAttempts} attempts in total.`
  const header = (name: string, ...rest: [schema: object, description: string, required?: boolean]) =>
    parameter(`X-${productName}-${name}`, ...rest)
  return {
    operationId: `on_${type.replaceAll('.', '_')}`,
    tags: ['Events'],
    summary: description,
    security: [],
    parameters: [
      header('Event-Id', WebhookEvent.properties.id, 'The `id` of the payload. Deduplicate on it.'),
      header('Event-Type', { type: 'string', enum: [type] }, 'The `type` of the payload.'),
      header(
        'Event-Sequence',
        { type: 'integer', minimum: 1 },
        'The number of the event within its quotation, from 1. Not sent for events without a quotation.',
        false,
      ),
      header('Timestamp', { type: 'integer' }, 'Unix time in seconds when the delivery was signed.'),
      header(
        'Signature',
        { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
        '`v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret.',
      ),
      header(
        'Signature-Previous',
        { type: 'string', pattern: '^v1=[0-9a-f]{64}(, v1=[0-9a-f]{64}){0,2}$' },
        'The same, keyed with each previous signing secret that still signs, newest first. Sent only during the overlap of a rotation.',
        false,
      ),
      ...(standardWebhooks ? STANDARD_PARAMETERS : []),
    ],
    requestBody: {
      required: true,
      content: jsonContent({
        schema: narrowed(WebhookEvent, {
          type: { type: 'string', enum: [type] },
          data: documented(events.definitionOf(type).data),
        }),
        example,
      }),
    },
    responses: {
      '2XX': {
        description: `The event was received. Respond within ${seconds} second${seconds === 1 ? '' : 's'}.`,
      },
      '410': { description: 'The receiver does not want this event. It is not sent again.' },
      default: { description: `The event was not received. ${retries}` },
    },
  }
}

/** Without titles, unless the data is ours: a host's title could be a duplicate, or an invalid name. */
function documented(data: TSchema): unknown {
  if (data === QuotationEventData) return data
  return mapNodes(data, (node) => (isTitledSchema(node) ? { ...node, title: undefined } : node))
}
