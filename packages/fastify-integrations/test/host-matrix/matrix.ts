import { createHash } from 'node:crypto'
import { type Receiver, startReceiver } from '@quickquote/dev-servers'
import { hasChromium } from '@quickquote/dev-servers/browser'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { fastifyPortal } from '@quickquote/portal'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ACME,
  type Answer,
  type Host,
  type HostOptions,
  type Ours,
  startHost,
  useDatabase,
} from '../support/host.ts'
import { startWorker } from '../support/webhooks.ts'
import {
  HTML,
  requestAsScreens,
  SIGN_IN_PAGE,
  type SignIn,
  signInByHeader,
  useVisitor,
} from './portal-journey.ts'

/** A request to one of the host's own routes. */
export interface OwnRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: () => string | Uint8Array | FormData
  /** The expected part of the response, which shows that the host is set up as the row says. */
  readonly expected?: object
}

/** A kind of host, by what it registers before and after our plugin. */
export interface Row extends Omit<HostOptions, 'databaseUrl' | 'after'> {
  /** What the host registers after our plugin. */
  readonly after?: (app: FastifyInstance) => void | Promise<void>
  /** The host's own routes with schemas, for hosts without JSON schemas. */
  readonly schemaRoutes?: (app: FastifyInstance) => void | Promise<void>
  /** For hosts that a browser may see differently: a new admin also goes through the screens of the portal in Chromium. */
  readonly browser?: {
    /** The prefix that `rewriteUrl` removes. */
    readonly path?: string
    /** Default: a header names the member. */
    readonly signIn?: SignIn
  }
  /** Requests to the host's own routes, in addition to those for every host. */
  readonly own?: readonly OwnRequest[]
}

/** Where the portal sends members without a session: a route of every host. */
const SIGN_IN_PATH = '/host/early'

/** For every host: behavior that plugins and settings often change. */
const OWN_REQUESTS: readonly OwnRequest[] = [
  { method: 'GET', path: '/host/early' },
  { method: 'GET', path: '/host/answer' },
  { method: 'HEAD', path: '/host/answer' },
  { method: 'OPTIONS', path: '/host/answer' },
  { method: 'GET', path: '/host/answer/' },
  { method: 'GET', path: '/HOST/answer' },
  { method: 'GET', path: '/host/fails' },
  { method: 'GET', path: '/host/nothing?api_key=1' },
  { method: 'GET', path: `/v1/organizations/${ACME}/members` },
  { method: 'GET', path: '/v1/integration' },
  { method: 'PUT', path: '/host/json' },
  json('/host/json', '{"a":[1]}'),
  json('/host/json', '{"a":'),
  json('/host/json', '{"__proto__":1}'),
  json('/host/json', ''),
  json('/host/body', '{"count":"5","more":1}'),
  json('/host/body', '{"count":"five"}'),
  { method: 'POST', path: '/host/json', headers: { 'Content-Type': 'text/plain' }, body: () => 'text' },
  { method: 'POST', path: '/host/json', headers: { 'Content-Type': 'text/csv' }, body: () => 'a;b' },
  { method: 'POST', path: '/host/json', body: () => form('file.txt', 'of the host') },
]

export function json(path: string, body: string, expected?: object): OwnRequest {
  const headers = { 'Content-Type': 'application/json' }
  return { method: 'POST', path, headers, body: () => body, ...(expected ? { expected } : {}) }
}

export function form(fileName: string, content: string): FormData {
  const data = new FormData()
  data.append('files', new Blob([content]), fileName)
  return data
}

function ownRoutes(app: FastifyInstance): void {
  app.get('/host/fails', async () => {
    throw new Error('of the host')
  })
  app.post('/host/json', async (request) => ({ got: request.body ?? null }))
}

/** Hosts with JSON schemas rely on coercion, and on responses with declared fields only. */
function jsonSchemaRoutes(app: FastifyInstance): void {
  const answer = { type: 'object', properties: { shown: { type: 'string' } } }
  app.get('/host/answer', { schema: { response: { 200: answer } } }, async () => ({
    shown: 'a',
    hidden: 'b',
  }))
  const body = { type: 'object', additionalProperties: false, properties: { count: { type: 'integer' } } }
  app.post('/host/body', { schema: { body } }, async (request) => ({ got: request.body }))
}

/** The host's own plugins and routes, around our plugin. */
function furniture(row: Row) {
  return {
    async before(app: FastifyInstance) {
      await row.before?.(app)
      app.get(SIGN_IN_PATH, (_, reply) => reply.headers(HTML).send(SIGN_IN_PAGE))
    },
    async after(app: FastifyInstance) {
      await row.after?.(app)
      ownRoutes(app)
      await (row.schemaRoutes ?? jsonSchemaRoutes)(app)
    },
  }
}

/** The same host with our plugins, the portal last. */
function withOurs(row: Row): Required<Pick<HostOptions, 'before' | 'after'>> {
  const { before, after } = furniture(row)
  return {
    before,
    async after(app: FastifyInstance, ours: Ours) {
      await after(app)
      await app.register(fastifyPortal, {
        ...ours,
        prefix: '/portal',
        apiPrefix: row.plugin?.prefix ?? '',
        signInUrl: `${SIGN_IN_PATH}?next={url}`,
      })
    },
  }
}

/** The host without our plugins. */
async function startWithoutPlugin(row: Row): Promise<{ url: string; app: FastifyInstance }> {
  const app = Fastify({ ...row.fastify })
  const { before, after } = furniture(row)
  await before(app)
  await after(app)
  return { app, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

async function send(url: string, { method, path, headers, body }: OwnRequest) {
  const init = { method, headers: headers ?? {}, redirect: 'manual' as const }
  const response = await fetch(url + path, body === undefined ? init : { ...init, body: body() })
  // These differ between responses.
  const {
    date: _,
    'x-ratelimit-reset': _seconds,
    'ratelimit-reset': _secondsOfDraft,
    ...kept
  } = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name, value.replace(/nonce-\w+/g, 'nonce')]),
  )
  const text = (await response.text()).replace(/boundary=[\w-]+/g, 'boundary')
  return { status: response.status, headers: kept, body: text }
}

/** The entity tag is a digest of what we serve. */
function expectWhole({ headers, body }: Answer): void {
  const digest = createHash('sha256').update(String(body['text'])).digest('base64url')
  expect(headers.get('etag')).toBe(`"${digest.slice(0, 22)}"`)
}

function namesIn({ body }: Answer, reference: RegExp): string[] {
  return [...String(body['text']).matchAll(reference)].map(([, name]) => String(name))
}

export interface RowContext {
  readonly host: Host
  /** An API key of Acme, created through a session route. */
  readonly key: string
}

/**
 * Creates `beside(name, row)`, whose tests hold for every kind of host: our routes work, and the host's own routes respond
 * as they do without our plugin.
 */
export function useHostMatrix() {
  const database = useDatabase()
  const visit = useVisitor()
  let receiver: Receiver
  let stop = async () => {}
  beforeAll(async () => {
    receiver = await startReceiver()
    // The worker does not depend on the kind of host: one for all rows.
    const integrations = integrationsOn(database.url)
    const stopWorker = await startWorker({ integrations }, receiver, { pollIntervalMs: 200 })
    stop = async () => {
      await stopWorker()
      await integrations.close()
      await receiver.stop()
    }
  })
  // Before the database is dropped: what `beforeAll` returns would run after that.
  afterAll(() => stop())

  return function beside(name: string, row: Row, more: (context: RowContext) => void = () => {}): void {
    describe(name, () => {
      let host: Host
      let key: string
      let alone: Awaited<ReturnType<typeof startWithoutPlugin>>
      const prefix = row.plugin?.prefix ?? ''
      const quotations = `${prefix}/v1/integrations/quotations`
      const webhooks = `${prefix}/v1/organizations/${ACME}/webhooks`

      beforeAll(async () => {
        alone = await startWithoutPlugin(row)
        host = await startHost({ ...row, ...withOurs(row), databaseUrl: database.url })
        key = (await host.createKey()).key
      })
      afterAll(async () => {
        await alone.app.close()
        await host.close()
      })

      it('accepts a start as JSON, within our limits', async () => {
        const { status, headers, body } = await host.call('POST', quotations, {
          key,
          json: { name: 'As JSON', requirementsText: 'Customers see their invoices.' },
        })
        expect(status).toBe(202)
        expect(headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60, "starts";q=10;w=60')
        expect(headers.get('ratelimit')).toMatch(/^"requests";r=\d+;t=\d+, "starts";r=\d+;t=\d+$/)
        expect(headers.get('cache-control')).toBe('no-store')
        const summary = await host.call('GET', `${quotations}/${body['quotation_id']}`, { key })
        expect(summary).toMatchObject({ status: 200, body: { name: 'As JSON', source: 'api_key' } })
        expect(summary.body).not.toHaveProperty('api_key_id')
      })

      it('accepts a start with a file, and checks the file', async () => {
        const start = (file: string) => host.call('POST', quotations, { key, body: form('a.txt', file) })
        expect(await start('Customers see their invoices.')).toMatchObject({ status: 202 })
        expect(await start('\0')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/files/0' }] } })
      })

      it('serves members by their session', async () => {
        const listed = await host.call('GET', webhooks, { member: 'acme-admin' })
        expect(listed).toMatchObject({ status: 200, body: [] })
        expect(await host.call('GET', webhooks)).toMatchObject({
          status: 401,
          body: { code: 'SESSION_REQUIRED' },
        })
        expect((await host.call('HEAD', webhooks, { member: 'acme-admin' })).status).toBe(200)
      })

      it('answers refusals with problem documents', async () => {
        const problems = [
          await host.call('POST', quotations, { key, json: { name: 5 } }),
          await host.call('POST', quotations, {
            key,
            body: '{',
            headers: { 'Content-Type': 'application/json' },
          }),
          await host.call('POST', quotations, { key, body: 'a;b', headers: { 'Content-Type': 'text/csv' } }),
          await host.call('GET', `${quotations}/no-uuid`, { key }),
          await host.call('GET', quotations.replace('quotations', 'nothing'), { key }),
          await host.call('PUT', quotations, { key }),
          await host.call('GET', quotations),
        ]
        expect(problems.map(({ status, body }) => [status, body['code']])).toEqual([
          [400, 'VALIDATION_FAILED'],
          [400, 'MALFORMED_REQUEST'],
          [415, 'UNSUPPORTED_MEDIA_TYPE'],
          [400, 'VALIDATION_FAILED'],
          [404, 'ROUTE_NOT_FOUND'],
          [405, 'METHOD_NOT_ALLOWED'],
          [401, 'API_KEY_MISSING'],
        ])
        expect(problems[0]?.body['errors']).toEqual([
          { pointer: '/name', detail: 'must be a string or null' },
        ])
        for (const { headers, body } of problems) {
          expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
          expect(headers.get('x-request-id')).toBe(body['instance'])
        }
      })

      it('shows the documentation', async () => {
        const docs = `${prefix}/api-docs`
        const page = await host.call('GET', docs)
        expect(page.status).toBe(200)
        expect(page.headers.get('content-type')).toMatch(/^text\/html/)
        expect(page.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'/,
        )
        expect(page.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests')
        const [, script = ''] = /<script defer src="([^"]+)"/.exec(String(page.body['text'])) ?? []
        const loaded = await host.call('GET', new URL(script, `http://host${docs}`).pathname)
        expect(loaded.status).toBe(200)
        expect(loaded.headers.get('content-type')).toMatch(/javascript/)
        expect(Object.keys(host.openapi.paths)).toContain(quotations)
      })

      it('does not change the routes of the host', async () => {
        for (const request of [...OWN_REQUESTS, ...(row.own ?? [])]) {
          const was = await send(alone.url, request)
          const label = `${request.method} ${request.path}`
          expect({ label, ...(await send(host.url, request)) }).toEqual({ label, ...was })
          if (request.expected !== undefined) expect(was).toMatchObject(request.expected)
        }
      })

      // Last, because they count against the host's own limits.
      it('serves the portal, with its own content policy', async () => {
        const page = await host.call('GET', '/portal/')
        expect(page.status).toBe(200)
        expect(page.headers.get('content-type')).toMatch(/^text\/html/)
        expect(page.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; /,
        )
        expectWhole(page)
        const names = new Set(namesIn(page, /(?:src|href)="\.\/([^"]+)"/g)).add('element.js')
        expect(names.size).toBe(4)
        // The scripts' own imports follow.
        for (const name of names) {
          const file = await host.call('GET', `/portal/${name}`)
          expect(file.status).toBe(200)
          expect(file.headers.get('content-type')).toMatch(/^text\/(?:javascript|css)/)
          expectWhole(file)
          for (const imported of namesIn(file, /(?:import\(|from ?)[`'"]\.\/([^`'"]+)[`'"]/g))
            names.add(imported)
        }
        expect(names.size).toBe(7)
        const organizations = '/portal/organizations'
        expect(await host.call('GET', organizations)).toMatchObject({
          status: 401,
          body: { code: 'SESSION_REQUIRED' },
        })
        expect(await host.call('GET', organizations, { member: 'acme-admin' })).toMatchObject({
          status: 200,
          body: [{ id: ACME, name: null }],
        })
      })

      it('serves what the screens of the portal ask for', () => requestAsScreens(host, receiver, prefix))

      if (row.browser !== undefined) {
        const browser = { path: '', signIn: signInByHeader, ...row.browser }
        it.runIf(hasChromium || process.env['CI'] !== undefined)(
          'takes a new admin through every screen of the portal, in Chromium',
          () => visit({ ...browser, host, receiver }),
        )
      }

      more({
        get host() {
          return host
        },
        get key() {
          return key
        },
      })
    })
  }
}
