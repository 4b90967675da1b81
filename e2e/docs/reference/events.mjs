import { code, GENERATED, jsonBlock, table } from './markdown.mjs'

/** docs/reference/events.md, from the OpenAPI document. */
export function eventsPage({ resolved, catalog }) {
  const { WebhookEvent, QuotationEventData } = resolved.components.schemas
  const [webhook] = Object.values(resolved.webhooks)
  const headers = webhook.post.parameters.map(({ name, required, description }) => [
    code(name),
    required ? 'always' : 'sometimes',
    description,
  ])
  const events = catalog.map(({ type, description, example }) => {
    const { step, status, proposal_id } = example.data
    return [
      `[${code(type)}](#${type.replaceAll('.', '')})`,
      description,
      type === 'quotation.failed' ? 'the failed step, or `unknown`' : code(step),
      code(status),
      proposal_id === null ? 'may be null' : 'set',
    ]
  })

  return `${GENERATED}

# Events

Webhooks carry IDs and a status, never the content of a proposal. Type names are stable. Ignore types that you do not know: new
ones may be added, and a service may have [its own events](../guides/event-catalog.md).
\`GET /v1/organizations/{organizationId}/webhooks/events\` lists all of them. [Receiving webhooks](../guides/receiving-webhooks.md)
describes how to receive them.

${table(['Type', 'When', '`data.step`', '`data.status`', '`data.proposal_id`'], events)}

## Payload

${table(['Field', 'Type', ''], fieldsOf(WebhookEvent, ''))}

\`data\` of quote events:

${table(['Field', 'Type', ''], fieldsOf(QuotationEventData, 'data.'))}

## Headers

With the default \`productName\`: \`Acme\` gives \`X-Acme-Signature\`. \`Content-Type\` is \`application/json\`.

${table(['Header', 'Sent', ''], headers)}

${catalog.map(({ type, description, example }) => `## ${type}\n\n${description}\n\n${jsonBlock(example)}`).join('\n\n')}
`
}

function fieldsOf(schema, prefix) {
  return Object.entries(schema.properties).map(([name, { description = '', ...type }]) => [
    code(prefix + name),
    typeOf(type),
    description,
  ])
}

function typeOf({ type, format, enum: values, pattern }) {
  if (values !== undefined) return values.map((value) => code(value)).join(', ')
  const names = [type].flat().map((name) => (name === 'string' && format !== undefined ? format : name))
  return names.join(' or ') + (pattern === undefined ? '' : `, ${code(pattern)}`)
}
