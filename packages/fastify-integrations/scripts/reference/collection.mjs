import { resolved } from './markdown.mjs'

/** Scripts after a request, in addition to the status check: keep an ID for later requests, or wait for the end. */
const AFTER = {
  startQuotation: ["pm.collectionVariables.set('quotationId', pm.response.json().quotation_id)"],
  getQuotation: [
    "const isOver = ['completed', 'failed'].includes(pm.response.json().status)",
    '// In a run: repeats this request after five seconds.',
    'if (!isOver) pm.execution.setNextRequest(pm.info.requestName)',
    'if (!isOver) setTimeout(() => {}, 5000)',
  ],
  getQuotationProposal: ["pm.collectionVariables.set('proposalId', pm.response.json().id)"],
}

/** Other statuses than that of success, in a run. */
const ALSO = {
  // The quote has ended by then.
  cancelQuotation: [409],
}

/**
 * A Postman collection (v2.1) of the partner API, which Bruno and others import as well. Its order is a partner's journey,
 * and each request checks its response.
 */
export function collection({ document }) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((scheme) => 'apiKey' in scheme))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return {
    info: {
      name: 'Partner API',
      description:
        'Set the variables baseUrl and apiKey. The first request starts a quote and keeps its ID for the others; a run waits until the quote has ended.',
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
    item: operations.map((each) => itemOf(document, each)),
  }
}

function itemOf(document, { path, method, operation }) {
  const { operationId, summary, description = '', requestBody, responses } = operation
  const status = Number(Object.keys(responses).find((each) => each.startsWith('2')))
  const variable = path.includes('/proposals/') ? '{{proposalId}}' : '{{quotationId}}'
  const segments = path.slice(1).split('/')
  const ids = segments.filter((segment) => segment.startsWith('{'))
  const json = requestBody?.content['application/json']
  return {
    name: summary,
    request: {
      method,
      description,
      header: json === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        host: ['{{baseUrl}}'],
        path: segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')),
        variable: ids.map((segment) => ({ key: segment.slice(1, -1), value: variable })),
      },
      ...(json === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: JSON.stringify(resolved(document, json.examples.example).value, null, 2),
              options: { raw: { language: 'json' } },
            },
          }),
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

function checks(statuses, after = []) {
  const name = `answers ${statuses.join(' or ')}`
  return [
    `pm.test('${name}', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]))`,
    ...after,
  ]
}
