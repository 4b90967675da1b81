import { STATUS_CODES } from 'node:http'
import { ERRORS } from '@quickquote/core'
import { code, GENERATED, jsonBlock, table } from './markdown.mjs'

const example = {
  type: 'urn:problem-type:quickquote:VALIDATION_FAILED',
  title: ERRORS.VALIDATION_FAILED.title,
  status: ERRORS.VALIDATION_FAILED.status,
  detail: '/name: must be a string or null',
  instance: 'req-4f',
  code: 'VALIDATION_FAILED',
  errors: [{ pointer: '/name', detail: 'must be a string or null' }],
}

/** docs/reference/errors.md, from the error table of core. */
export function errorsPage() {
  const rows = Object.entries(ERRORS).map(([name, { status, title, advice }]) => [
    status,
    code(name),
    title,
    advice,
  ])
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))]
  return `${GENERATED}

# Errors

Every refusal is a problem document (RFC 9457, \`application/problem+json\`):

${jsonBlock(example)}

\`code\` is stable: switch on it. \`instance\` is the request ID, as in the header \`X-Request-Id\`. A validation failure
has \`errors\`: \`pointer\` is a JSON pointer into the body, or \`:name\` or \`?name\` for a part of the URL. \`type\` ends with
the code; the service may use its own prefix.

${table(['Status', 'Code', 'Title', 'What to do'], rows)}

Statuses in words: ${statuses.map((status) => `${status} ${STATUS_CODES[status]}`).join(', ')}.
[HTTP](http.md) lists the codes of each route.
`
}
