import { operationsOf } from '../../../packages/fastify-integrations/dist/openapi/openapi-shape.js'

const KEEP_ID = ["pm.collectionVariables.set('quotationId', pm.response.json().quotation_id)"]

/** Scripts after a request, in addition to the status check: keep an ID for later requests, or wait for the end. */
const AFTER = {
  startQuotation: KEEP_ID,
  startQuotationFromFiles: KEEP_ID,
  getQuotation: [
    "const isOver = ['completed', 'failed'].includes(pm.response.json().status)",
    '// In a run: repeats this request, which waits.',
    'if (!isOver) pm.execution.setNextRequest(pm.info.requestName)',
  ],
  getQuotationProposal: ["pm.collectionVariables.set('proposalId', pm.response.json().id)"],
}

/** Other statuses than that of success, in a run. */
const ALSO = {
  // The quote has ended by then.
  cancelQuotation: [409],
}

/** Parameters that a request sends. The others are in the collection, but turned off. */
const SENT = { getQuotation: { wait: '20', until: 'end' } }

/** The order of a partner's journey, where it is not that of the document. */
const FIRST = ['getConnection', 'startQuotation', 'startQuotationFromFiles']

/** The files of the upload, beside the collection. */
const FILES = ['requirements.md', 'screens.txt']

/**
 * A Postman collection (v2.1) of the partner API, which Bruno and others import as well. Its order is a partner's journey,
 * and each request checks its response.
 */
export function collection({ documents: { partners } }) {
  const placeOf = ({ operationId }) => (FIRST.indexOf(operationId) + FIRST.length + 1) % (FIRST.length + 1)
  const operations = operationsOf(partners.paths).sort((one, other) => placeOf(one) - placeOf(other))
  return {
    info: {
      name: 'Partner API',
      description:
        'Set the variables baseUrl and apiKey, and choose the files of the upload. A start keeps its ID for the requests after it; a run waits until the quote has ended. Parameters that are turned off can be turned on.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: ['baseUrl', 'apiKey', 'quotationId', 'proposalId'].map((key) => ({ key, value: '' })),
    item: operations.map(itemOf),
  }
}

function itemOf(operation) {
  const { path, method, operationId, summary, description = '', requestBody, responses } = operation
  const status = Number(Object.keys(responses).find((each) => each.startsWith('2')))
  const variable = path.includes('/proposals/') ? '{{proposalId}}' : '{{quotationId}}'
  const sent = SENT[operationId]
  const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const body = bodyOf(requestBody)
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      header: [
        ...(body?.mode === 'raw' ? [{ key: 'Content-Type', value: 'application/json' }] : []),
        ...parametersOf(operation, 'header', { 'Idempotency-Key': '{{$guid}}' }),
      ],
      url: {
        raw: `{{baseUrl}}${url}${sent === undefined ? '' : `?${new URLSearchParams(sent)}`}`,
        host: ['{{baseUrl}}'],
        path: url.slice(1).split('/'),
        query: parametersOf(operation, 'query', sent),
        variable: [...url.matchAll(/:(\w+)/g)].map(([, key]) => ({ key, value: variable })),
      },
      ...(body && { body }),
    },
    event: [
      {
        listen: 'test',
        script: {
          type: 'text/javascript',
          exec: checks([status, ...(ALSO[operationId] ?? [])], AFTER[operationId]),
        },
      },
    ],
  }
}

/** Each with its description. Without a value, it is turned off. */
function parametersOf({ parameters = [] }, place, values = {}) {
  return parameters
    .filter((each) => each.in === place)
    .map(({ name, description = '', schema }) => ({
      key: name,
      value: values[name] ?? String(schema.default ?? [schema.items?.enum ?? schema.enum ?? ''].flat()[0]),
      description,
      ...(values[name] === undefined && { disabled: true }),
    }))
}

/** A form has a field for each file: tools turn a list of files into a text. */
function bodyOf(requestBody) {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (media === undefined) return undefined
  const { value } = media.examples.example
  if (type === 'application/json') {
    return { mode: 'raw', raw: JSON.stringify(value, null, 2), options: { raw: { language: 'json' } } }
  }
  const { files: _, ...fields } = value
  return {
    mode: 'formdata',
    formdata: [
      ...Object.entries(fields).map(([key, text]) => ({ key, value: text, type: 'text' })),
      ...FILES.map((src) => ({ key: 'files', type: 'file', src })),
    ],
  }
}

function checks(statuses, after = []) {
  const name = `answers ${statuses.join(' or ')}`
  return [
    `pm.test('${name}', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]))`,
    ...after,
  ]
}
