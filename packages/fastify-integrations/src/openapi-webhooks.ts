import { EVENT_CATALOG, type EventDefinition, SOURCES, STEPS, WebhookEvent } from '@quickquote/core'
import { EXAMPLE } from './examples.ts'

/** The events of the catalog, as the `webhooks` of an OpenAPI document (specification, "Events"). */
export function openapiWebhooks(productName: string): Record<string, object> {
  return Object.fromEntries(
    EVENT_CATALOG.map((event) => [event.type, { post: operationOf(event, productName) }]),
  )
}

/** What a receiver of the event would get. */
export function exampleEvent({ type }: EventDefinition): Record<string, unknown> {
  const isFailure = type === 'quotation.failed'
  const step =
    STEPS.find((each) => type === `quotation.${each}.completed`) ??
    (isFailure ? 'work_breakdown' : 'proposal')
  return {
    id: `evt_${EXAMPLE.eventId}`,
    type,
    created_at: EXAMPLE.finishedAt,
    organization_id: EXAMPLE.organizationId,
    data: {
      quotation_id: EXAMPLE.quotationId,
      proposal_id: step === 'proposal' ? EXAMPLE.proposalId : null,
      step,
      status: isFailure ? 'failed' : 'completed',
      error_code: isFailure ? 'MODEL_TIMEOUT' : null,
      generation_source: SOURCES[1],
    },
  }
}

function operationOf(event: EventDefinition, productName: string): object {
  const header = (name: string, description: string) => ({
    name: `X-${productName}-${name}`,
    in: 'header',
    required: true,
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
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [WebhookEvent, { type: 'object', properties: { type: { enum: [event.type] } } }],
          },
          examples: { example: { value: exampleEvent(event) } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. Answer within 10 seconds.' },
      '410': { description: 'Not wanted: this event is not sent again.' },
    },
  }
}
