import { operationsOf } from '../../../packages/fastify-integrations/dist/openapi/openapi-shape.js'
import { code, GENERATED, table } from './markdown.mjs'

const CALLERS = {
  api_key: 'API key',
  member: 'any member',
  view_integrations: '`view_integrations`',
  manage_integrations: '`manage_integrations`',
}

/** Codes that all routes of an area share are listed once, above its table. */
const AREAS = [
  { title: 'With an API key', note: '', isOf: (access) => access === 'api_key' },
  {
    title: 'With a session',
    note: 'Holders of `manage_integrations` also have `view_integrations`. A member without the permission gets `PERMISSION_REQUIRED`.',
    isOf: (access) => access !== 'api_key',
  },
]

/** docs/reference/http.md, from the OpenAPI document and the access that the plugin gives its routes. */
export function httpPage({ resolved, access, settings }) {
  const operations = operationsOf(resolved.paths).map((operation) => {
    const name = `${operation.method.toUpperCase()} ${operation.path}`
    return { name, operation, codes: codesOf(operation), ...access.get(name) }
  })
  const { requestsPerMinute, startsPerMinute, failedAuthenticationsPerMinute } = settings.limits

  const parts = AREAS.map(({ title, note, isOf }) => {
    const ofArea = operations.filter((each) => isOf(each.access))
    const ofAll = sharedCodes(ofArea)
    const writes = ofArea.filter(({ name }) => !name.startsWith('GET '))
    const ofWrites = writes.length < 2 ? [] : sharedCodes(writes).filter((name) => !ofAll.includes(name))
    const common = new Set([...ofAll, ...ofWrites, 'PERMISSION_REQUIRED'])
    const rows = ofArea.map((each) => [
      code(each.name),
      CALLERS[each.access] + (each.limit === 'starts' ? `, ${startsPerMinute} a minute` : ''),
      takenBy(each.operation).map(code).join(', '),
      successOf(each.operation),
      each.codes
        .filter((name) => !common.has(name))
        .map(code)
        .join(', '),
    ])
    return `## ${title}

${`Every route: ${ofAll.map(code).join(', ')}. ${note}`.trim()}
${ofWrites.length === 0 ? '' : `\nRoutes that change something, in addition: ${ofWrites.map(code).join(', ')}.\n`}
${table(['Route', 'Access', 'Input', 'Response', 'Other errors'], rows)}`
  })

  return `${GENERATED}

# HTTP

Every route of the plugin with its default options. The [OpenAPI document](openapi.json), which the service shows at
\`/api-docs\`, has the fields, types and examples of every body. [Errors](errors.md) explains the codes. The plugin's \`prefix\`
precedes every path.

An unknown path returns 404 \`ROUTE_NOT_FOUND\`, an unsupported method 405 \`METHOD_NOT_ALLOWED\`. \`HEAD\` works wherever \`GET\`
does. Lists with a \`cursor\` are paged: a \`Link\` header with \`rel="next"\` leads to the next page.

Limits of an API key: ${requestsPerMinute} requests a minute over all routes, ${startsPerMinute} of them starts. Limit of a client
address: ${failedAuthenticationsPerMinute} failed authentications a minute. Session routes have no limits.
[All limits are options](options.md#limits).

${parts.join('\n\n')}
`
}

function sharedCodes(operations) {
  const [first, ...others] = operations
  return first.codes.filter((name) => others.every(({ codes }) => codes.includes(name)))
}

function codesOf({ responses }) {
  return Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  )
}

/** Its query, its headers, and the kinds of its body. */
function takenBy({ parameters = [], requestBody }) {
  const names = parameters
    .filter(({ in: place }) => place !== 'path')
    .map(({ in: place, name }) => (place === 'query' ? `?${name}` : name))
  const kinds = Object.keys(requestBody?.content ?? {}).map((type) =>
    type.replace('application/json', 'JSON'),
  )
  return [...kinds, ...names]
}

function successOf({ summary, responses }) {
  const status = Object.keys(responses).find((each) => each.startsWith('2'))
  return `${status}: ${summary[0].toLowerCase()}${summary.slice(1)}`
}
