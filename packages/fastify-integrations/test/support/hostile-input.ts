import { request as httpRequest } from 'node:http'
import type { TObject, TSchema } from '@quickquote/core/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerFrameworkError } from '../../src/index.ts'
import type { Route } from '../../src/route.ts'
import { routeTable } from '../../src/route-table.ts'
import { isBefore } from './fastify-version.ts'
import { ACME, NOWHERE, useHost } from './host.ts'
import { failQuote } from './webhooks.ts'

const MANY = 1_000_000
let context: ReturnType<typeof useHost>
let key: string

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string
}
interface Problem {
  readonly code: string
  readonly errors?: readonly { pointer: string; detail: string }[]
}

/** Sends a request unchanged: `fetch` would correct some of it. */
function send({ method, path, headers = {}, body }: Sent): Promise<{ status: number; problem: Problem }> {
  return new Promise((resolve, reject) => {
    const credentials = path.startsWith('/v1/integrations')
      ? { 'X-API-Key': key }
      : { 'X-Member': 'acme-admin' }
    const { hostname, port } = new URL(context.host.url)
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const sent = { ...credentials, ...length, ...headers }
    const request = httpRequest({ hostname, port, method, path, headers: sent })
    request.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isProblem = response.headers['content-type']?.includes('problem') === true
        resolve({ status: response.statusCode ?? 0, problem: isProblem ? JSON.parse(text) : { code: '' } })
      })
    })
    request.end(body)
  })
}

/** No request may cause a 5xx, and a refusal must name the problem. */
async function expectNoFault(sent: Sent): Promise<{ status: number; problem: Problem }> {
  const { status, problem } = await send(sent)
  const what = JSON.stringify({ ...sent, body: sent.body?.slice(0, 100), status, problem }).slice(0, 600)
  expect(status, what).toBeLessThan(500)
  if (status >= 400) expect(problem.code, what).toMatch(/^[A-Z_]+$/)
  if (problem.code === 'VALIDATION_FAILED') {
    expect(problem.errors?.length, what).toBeGreaterThan(0)
    for (const error of problem.errors ?? []) expect(error.detail, what).toMatch(/^(must|is) /)
  }
  return { status, problem }
}

function rows(): { route: Route; path: string }[] {
  return routeTable(context.host.integrations, { apiKeyRoutes: true }).flatMap((area) =>
    area.routes.map((route) => ({ route, path: (area.prefix + route.url).replace(':organizationId', ACME) })),
  )
}

function propertiesOf(schema: TSchema | undefined): string[] {
  return Object.keys((schema as TObject | undefined)?.properties ?? {})
}

/** As written in a URL. */
const URL_VALUES = [
  '',
  '%20',
  '%00',
  'a%00b',
  '%zz',
  '%',
  '%ED%A0%80',
  '%FF',
  '%E2%80%AE',
  '..%2f..',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '0x10',
  '1.5',
  '9007199254740993',
  '99999999999999999999',
  '2026-06-30T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00%2B05:30',
  '9999-12-31T23:59:59-01:00',
  '10000-01-01T00:00:00Z',
  '%2B275761-01-01T00:00:00Z',
  '2026-01-01T00:00:00%2B0530',
  '2026-01-01T00:00:00+05:30',
  '2026-01-01T00:00:00',
  '2026-01-01',
  `2026-01-01T00:00:00.${'1'.repeat(3000)}Z`,
  `urn:uuid:${NOWHERE}`,
  `%7B${NOWHERE}%7D`,
  NOWHERE.replaceAll('-', ''),
  `${NOWHERE}%00`,
  `${NOWHERE}%0A`,
  'A'.repeat(54),
  '_'.repeat(54),
  'x'.repeat(4000),
]

/** As written in JSON. */
const JSON_VALUES = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '12345678901234567890',
  `1${'0'.repeat(5000)}`,
  '""',
  '" "',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\u202e"',
  '"\\u2028"',
  '"\\ufeff"',
  '"\\uffff"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  `"${'x'.repeat(600_000)}"`,
  `"${'\\n'.repeat(5000)}"`,
  '"2026-06-30T23:59:60Z"',
  '"0000-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59-01:00"',
  '"+275761-01-01T00:00:00Z"',
  '"2999-01-01T00:00:00+0530"',
  `"urn:uuid:${NOWHERE}"`,
  `"{${NOWHERE}}"`,
  '"https://\\ud800.example.com/"',
  '"https://a.example.com:99999/"',
  `"https://${'a.'.repeat(900)}com/"`,
  '[]',
  '[null]',
  '["__proto__"]',
  '[[[]]]',
  '["quotation.completed","quotation.completed"]',
  `[${'"x",'.repeat(5000)}"x"]`,
  '{}',
  '{"length":1}',
  '{"toString":1}',
  '{"a":{"b":"\\u0000"}}',
  '{"\\u0000":1}',
  '{"\\ud800":1}',
  `{"a":${'['.repeat(60)}${']'.repeat(60)}}`,
  `{"a":${'['.repeat(100_000)}`,
]

const HEADER_VALUES = [
  '',
  ' ',
  'a b',
  'x'.repeat(256),
  'x'.repeat(8000),
  '\u00e9\u00ff',
  '\t',
  '__proto__',
  '00-00000000000000000000000000000000-0000000000000000-00',
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-${'x'.repeat(5000)}`,
  `${'a=b,'.repeat(1500)}c=d`,
  'application/json; charset=\u00ff',
  'multipart/form-data',
  'multipart/form-data; boundary=""',
]

const START = '/v1/integrations/quotations'
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** An empty object is a body for every route. */
function bodyOf({ method }: Route): Pick<Sent, 'headers' | 'body'> {
  return method === 'GET' ? {} : { headers: JSON_TYPE, body: '{}' }
}

function pointersOf(problem: Problem): string[] {
  return [...new Set(problem.errors?.map(({ pointer }) => pointer))]
}

/** Of how many hostile values each field gets one: the next field gets the next one. */
let oneOf = 1
let turn = 0

function someOf<T>(values: readonly T[]): T[] {
  turn += 1
  return values.filter((_, index) => (index + turn) % oneOf === 0)
}

/** The connections of the host to its database: a request that waits for one, on a busy machine, may be refused with 503. */
const AT_ONCE = 4

async function answersTo(requests: readonly Sent[]) {
  const answers: Awaited<ReturnType<typeof expectNoFault>>[] = []
  for (let sent = 0; sent < requests.length; sent += AT_ONCE) {
    answers.push(...(await Promise.all(requests.slice(sent, sent + AT_ONCE).map(expectNoFault))))
  }
  return answers
}

/** Sends them, and returns the fields that broke a rule. */
async function refusalsOf(requests: readonly Sent[]): Promise<string[][]> {
  return (await answersTo(requests))
    .filter(({ problem }) => problem.code === 'VALIDATION_FAILED')
    .map(({ problem }) => pointersOf(problem))
}

/**
 * Tests that no hostile value in a parameter, field or header causes a 5xx. All values in all fields are thousands of requests.
 * @param share the part of the values that each field gets: 1, or one in as many
 */
export function testHostileInput(share: number): void {
  oneOf = share
  context = useHost({
    fastify: { frameworkErrors: answerFrameworkError },
    integrations: { limits: { requestsPerMinute: MANY, startsPerMinute: MANY, webhookEndpoints: MANY } },
  })
  beforeAll(async () => {
    key = (await context.host.createKey()).key
    // With an event, no reader of the feed waits for one.
    await failQuote(context.host, 'Recorded')
  })

  describe('hostile input (specification, "Errors": 400 for a broken rule)', { timeout: 300_000 }, () => {
    it('no id in a path causes a 5xx', async () => {
      for (const { route, path } of rows()) {
        for (const name of path.match(/:\w+/g) ?? []) {
          const paths = someOf(URL_VALUES).map((value) =>
            path.replace(name, () => value).replace(/:\w+/g, NOWHERE),
          )
          const answers = await answersTo(
            paths.map((each) => ({ method: route.method, path: each, ...bodyOf(route) })),
          )
          for (const { status } of answers) expect([400, 403, 404, 405]).toContain(status)
        }
      }
    })

    // Fastify itself returns 404 before 5.9, if it is longer than a parameter may be.
    it.skipIf(isBefore(9))('no organization in a path does', async () => {
      const paths = URL_VALUES.map((value) => `/v1/organizations/${value}/webhooks`)
      const answers = await answersTo(paths.map((path) => ({ method: 'GET', path })))
      for (const { status } of answers) expect([400, 403, 404]).toContain(status)
    })

    it('no query parameter does; refused ones are named', async () => {
      let refused = 0
      for (const { route, path } of rows()) {
        const names =
          route.query === undefined ? ['limit'] : [...propertiesOf(route.query), '__proto__', 'limit[]']
        for (const name of names) {
          const queries = someOf(URL_VALUES).map((value) => `${name}=${value}`)
          const required: readonly string[] = route.query?.['required'] ?? []
          const needed = required
            .filter((other) => other !== name)
            .map((other) => `${other}=2026-01-01T00:00:00Z`)
          const pointers = await refusalsOf(
            [...queries, name, `${name}=1&${name}=2`].map((query) => ({
              method: route.method,
              path: `${path.replace(/:\w+/g, NOWHERE)}?${[query, ...needed].join('&')}`,
              ...bodyOf(route),
            })),
          )
          if (route.query === undefined) continue
          refused += pointers.length
          for (const each of pointers) expect(each).toEqual([`?${name}`])
        }
      }
      expect(refused).toBeGreaterThan(100 / oneOf)
    })

    it('no field of a JSON body does; refused ones are named', async () => {
      let refused = 0
      for (const { route, path } of rows()) {
        const body = route.body?.['application/json']
        if (body === undefined) continue
        for (const field of [...propertiesOf(body.schema), 'unknown']) {
          const rest = Object.entries(body.example as object).filter(([name]) => name !== field)
          const fields = rest.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`)
          const pointers = await refusalsOf(
            someOf(JSON_VALUES).map((value) => ({
              method: route.method,
              path: path.replace(/:\w+/g, NOWHERE),
              headers: JSON_TYPE,
              body: `{${[...fields, `"${field}":${value}`].join()}}`,
            })),
          )
          refused += pointers.length
          for (const pointer of pointers.flat()) expect(pointer).toMatch(new RegExp(`^/${field}(/|$)`))
        }
      }
      expect(refused).toBeGreaterThan(200 / oneOf)
    })

    it('no other JSON as a body does', async () => {
      const bodies = [...JSON_VALUES, '', '{"__proto__":{}}', '{"constructor":{"prototype":{}}}', '\u0000']
      for (const { route, path } of rows()) {
        if (route.body === undefined) continue
        await refusalsOf(
          someOf(bodies).map((body) => ({
            method: route.method,
            path: path.replace(/:\w+/g, NOWHERE),
            headers: JSON_TYPE,
            body,
          })),
        )
      }
    })

    it('no field of a form does; refused ones are named', async () => {
      let refused = 0
      for (const field of [
        'name',
        'description',
        'config_id',
        'external_id',
        'requirementsText',
        'metadata',
        '__proto__',
        '',
      ]) {
        const part = (name: string, text: string) =>
          `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
        const text = field === 'requirementsText' ? '' : part('requirementsText', 'A portal.')
        const pointers = await refusalsOf(
          someOf([...JSON_VALUES, '\u0000', '\u202ea', 'x\u0085', '\u2028']).map((value) => ({
            method: 'POST',
            path: START,
            headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
            body: `${text}${part(field, value)}--x--\r\n`,
          })),
        )
        refused += pointers.length
        for (const pointer of pointers.flat()) expect(pointer).toMatch(new RegExp(`^/${field}(/|$)`))
      }
      expect(refused).toBeGreaterThan(50 / oneOf)
    })

    it.each([
      'Idempotency-Key',
      'traceparent',
      'tracestate',
      'Content-Type',
      'Content-Encoding',
      'Accept',
      'Origin',
      'X-Request-Id',
    ])('no header %s does; a refused Idempotency-Key is named', async (name) => {
      const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
      const pointers = await refusalsOf(
        [...HEADER_VALUES, ['a', 'b']].map((value) => ({
          method: 'POST',
          path: START,
          headers: { ...JSON_TYPE, ...traced, [name]: value },
          body: '{"requirementsText":"A portal."}',
        })),
      )
      for (const each of pointers) expect(each).toEqual(['Idempotency-Key'])
      if (name === 'Idempotency-Key') expect(pointers.length).toBeGreaterThan(3)
    })
  })
}
