import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import type { Integrations } from '@quickquote/core'
import { startReceiver } from '@quickquote/dev-servers'
import { hasChromium } from '@quickquote/dev-servers/browser'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { fastifyPortal } from '@quickquote/portal'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fastifyIntegrations } from '../../src/index.ts'
import { ACME, sessionOf, useDatabase, YEAR_AHEAD } from '../support/host.ts'
import { startWorker } from '../support/webhooks.ts'
import { HTML, SIGN_IN_PAGE, signInByHeader, useVisitor } from './portal-journey.ts'

const database = useDatabase()
const BOUNDARY = 'boundary-of-the-test'
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n`

// Browsers speak HTTP/2 only with TLS.
describe('a host that speaks HTTP/2 without TLS', () => {
  let app: { close(): Promise<void> }
  let integrations: Integrations
  let client: ClientHttp2Session
  let key: string
  let url: string

  beforeAll(async () => {
    integrations = integrationsOn(database.url)
    const server = Fastify({ http2: true })
    await server.register(fastifyIntegrations, {
      integrations,
      resolveSession: () => ({ memberId: 'm', organizations: [{ id: ACME, role: 'admin' }] }),
    })
    server.post('/host/json', async (request) => ({ got: request.body }))
    app = server
    url = await server.listen({ port: 0, host: '127.0.0.1' })
    client = connect(url)
    key = (
      await integrations.apiKeys.create(adminOf(ACME), { name: 'x', expires_at: YEAR_AHEAD })
    ).key.reveal()
  })
  afterAll(async () => {
    client.close()
    await app.close()
    await integrations.close()
  })

  async function call(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
    const stream = client.request({ ':method': method, ':path': path, ...headers })
    const answered = new Promise<IncomingHttpHeaders>((resolve, reject) => {
      stream.once('response', resolve).once('error', reject)
    })
    stream.end(body)
    return { headers: await answered, body: await text(stream) }
  }
  const status = async (...request: Parameters<typeof call>) => (await call(...request)).headers[':status']
  const quotations = '/v1/integrations/quotations'
  const json = { 'content-type': 'application/json' }
  const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

  it('accepts starts, as JSON and with a file', async () => {
    const withKey = { 'x-api-key': key }
    expect(await status('POST', quotations, { ...withKey, ...json }, '{"requirementsText":"x"}')).toBe(202)
    const file = `${PART}Customers see their invoices.\r\n--${BOUNDARY}--\r\n`
    expect(await status('POST', quotations, { ...withKey, ...multipart }, file)).toBe(202)
  })

  it('answers with problem documents, also an upload that is refused before its end', async () => {
    const { headers, body } = await call('POST', quotations, { 'x-api-key': 'pk_wrong', ...multipart }, PART)
    expect(headers[':status']).toBe(401)
    expect(JSON.parse(body)).toMatchObject({ code: 'API_KEY_INVALID', instance: headers['x-request-id'] })
    expect(await status('GET', '/v1/integrations/nothing', { 'x-api-key': key })).toBe(404)
  })

  // Each waits until the server drops the rest: together.
  it.concurrent.each([
    ['was refused', { 'x-api-key': 'pk_wrong', ...json }, 401],
    ['has a body that is too large', { ...json, 'content-length': String(1024 * 1024 * 1024) }, 413],
    ['has a body that cannot be read', { ...json, 'content-encoding': 'gzip' }, 415],
  ])(
    'ends the stream of a client that %s and keeps sending, without a warning',
    async (_, headers, expected) => {
      const warnings: Error[] = []
      const onWarning = (warning: Error) => void warnings.push(warning)
      process.on('warning', onWarning)
      const stream = client.request({ ':method': 'POST', ':path': quotations, 'x-api-key': key, ...headers })
      const closed = once(stream, 'close')
      stream.resume().write('{')
      const [answer] = await once(stream, 'response')
      expect(answer[':status']).toBe(expected)
      await closed
      expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
      await new Promise((resolve) => setImmediate(resolve))
      process.off('warning', onWarning)
      expect(warnings).toEqual([])
    },
  )

  it('serves sessions, refuses pages of other sites by its own authority, and shows the documentation', async () => {
    const webhooks = `/v1/organizations/${ACME}/webhooks`
    expect(await status('GET', webhooks)).toBe(200)
    expect(await status('POST', webhooks, { ...json, origin: 'https://evil.example' }, '{}')).toBe(403)
    expect(await status('POST', webhooks, { ...json, origin: url }, '{}')).toBe(400)
    expect(await status('GET', '/api-docs')).toBe(200)
  })

  it('keeps its own routes', async () => {
    expect(await call('POST', '/host/json', json, '{"a":1}')).toMatchObject({ body: '{"got":{"a":1}}' })
    expect(await status('GET', '/host/nothing')).toBe(404)
  })
})

describe.runIf(hasChromium || process.env['CI'] !== undefined)('a host that speaks HTTP/2 with TLS', () => {
  const visit = useVisitor()

  it('takes a new admin through every screen of the portal, in Chromium', async () => {
    const receiver = await startReceiver()
    const integrations = integrationsOn(database.url)
    const stopWorker = await startWorker({ integrations }, receiver)
    // Without `allowHTTP1`, so the browser must speak HTTP/2.
    const server = Fastify({ http2: true, https: receiver.certificate })
    onTestFinished(async () => {
      await server.close()
      await stopWorker()
      await integrations.close()
      await receiver.stop()
    })
    const resolveSession = ({ headers }: { headers: IncomingHttpHeaders }) =>
      sessionOf(String(headers['x-member']))
    await server.register(fastifyIntegrations, { integrations, resolveSession })
    await server.register(fastifyPortal, {
      integrations,
      resolveSession,
      prefix: '/portal',
      signInUrl: '/host/early?next={url}',
    })
    server.get('/host/early', (_, reply) => reply.headers(HTML).send(SIGN_IN_PAGE))
    await visit({
      receiver,
      path: '',
      signIn: signInByHeader,
      host: {
        url: await server.listen({ port: 0, host: '127.0.0.1' }),
        integrations,
        async startQuotation(key, body = {}) {
          const url = '/v1/integrations/quotations'
          const answer = await server.inject({
            method: 'POST',
            url,
            headers: { 'x-api-key': key },
            payload: body,
          })
          return answer.json().quotation_id
        },
      },
    })
  })
})
