import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { table } from './markdown.mjs'

const parts = JSON.parse(readFileSync(new URL('spec-coverage.json', import.meta.url), 'utf8'))

/** docs/reference/spec-coverage.md, from the clauses in spec-coverage.json. */
export function specCoveragePage() {
  return `<!-- Generated from packages/fastify-integrations/scripts/reference/spec-coverage.json: npx -y pnpm@12.21.0 reference. -->

# Coverage of the specification

Each clause of the specification of partner integrations and webhooks, with its code and tests, then decisions on open points.
[\`spec-coverage.json\`](../../packages/fastify-integrations/scripts/reference/spec-coverage.json) also names each test, and a test checks
that all of them exist.

Tests of the API send requests to a real server with a real PostgreSQL, and check each request and response against the
[OpenAPI document](openapi.json).

${parts.map(({ title, sections }) => `## ${title}\n\n${sections.map(section).join('\n\n')}`).join('\n\n')}
`
}

function section({ title, clauses }) {
  const rows = clauses.map(({ clause, code, tests }) => [
    clause,
    code.map((path) => link(path, basename(path))).join(' '),
    Object.keys(tests)
      .map((path) => link(path, basename(path).replace(/(\.slow)?(\.test)?\.ts$/, '')))
      .join(' '),
  ])
  return `### ${title}\n\n${table(['Clause', 'Code', 'Tests'], rows)}`
}

function link(path, name) {
  return `[\`${name}\`](../../${path})`
}
