import { readFileSync } from 'node:fs'
import { table } from './markdown.mjs'

const parts = JSON.parse(readFileSync(new URL('spec-coverage.json', import.meta.url), 'utf8'))

/** docs/reference/spec-coverage.md: a summary of spec-coverage.json. */
export function specCoveragePage() {
  return `<!-- Generated from e2e/docs/reference/spec-coverage.json: npx -y pnpm@12.21.0 reference. -->

# Coverage of the specification

[\`spec-coverage.json\`](../../e2e/docs/reference/spec-coverage.json) lists each clause of the specification of
partner integrations and webhooks, then decisions on open points, with the code and the tests of each. A test checks that all of them exist.

Tests of the API send requests to a real server with a real PostgreSQL, and check each request and response against the
[OpenAPI document](openapi.json).

${parts.map(part).join('\n\n')}
`
}

function part({ title, sections }) {
  const rows = sections.map((section) => [section.title, section.clauses.length, tests(section)])
  return `## ${title}\n\n${table(['Section', 'Clauses', 'Tests'], rows)}`
}

function tests({ clauses }) {
  return new Set(
    clauses.flatMap((clause) =>
      Object.entries(clause.tests).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
    ),
  ).size
}
