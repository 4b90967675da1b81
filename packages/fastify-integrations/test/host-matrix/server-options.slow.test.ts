import { randomUUID } from 'node:crypto'
import { memberOf } from '@quickquote/core'
import type { FastifyBaseLogger } from 'fastify'
import { describe, expect, it } from 'vitest'
import { isBefore } from '../support/fastify-version.ts'
import { ACME, type Host, NOWHERE, openHost, useDatabase, YEAR_AHEAD } from '../support/host.ts'
import { createEndpoint, WEBHOOKS } from '../support/webhooks.ts'
import { useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()
/** For options that older versions of Fastify 5 do not have, or not in full. */
const besideSince = (minor: number): typeof beside => (isBefore(minor) ? () => {} : beside)
const database = useDatabase()

const QUOTATION = `/v1/integrations/quotations/${NOWHERE}`

beside('a prefix', { plugin: { prefix: '/api' } })

describe('the Location of a start, and the link to the next page of a list, resolve below', () => {
  it.each([
    ['no prefix', {}, ''],
    ['a prefix', { prefix: '/api' }, '/api'],
    ['a prefix of one slash', { prefix: '/' }, ''],
    ['a prefix that ends in a slash', { prefix: '/api/' }, '/api'],
    ['a prefix with a parameter', { prefix: '/:tenant', apiDocs: false }, '/acme'],
    ['a prefix that rewriteUrl takes off', {}, '/rewritten'],
  ] as const)('%s', async (_, plugin, path) => {
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { apiDocs: {}, ...plugin },
      fastify: { rewriteUrl: ({ url = '' }) => url.replace(/^\/rewritten/, '') },
    })
    const member = memberOf({ memberId: 'm', organizations: [{ id: ACME }] }, ACME)
    const newKey = { name: 'x', expires_at: YEAR_AHEAD }
    const { key } = await host.integrations.apiKeys.create(member, newKey)
    await host.integrations.apiKeys.create(member, newKey)
    const { status, headers } = await host.call('POST', `${path}/v1/integrations/quotations`, {
      key: key.reveal(),
      json: { requirementsText: 'x' },
    })
    expect(status).toBe(202)
    expect(headers.get('location')).toMatch(new RegExp(`^${path}/v1/integrations/quotations/[\\da-f-]{36}$`))
    const location = String(headers.get('location'))
    expect((await host.call('GET', location, { key: key.reveal() })).status).toBe(200)

    const list = `${path}/v1/organizations/${ACME}/api-keys`
    const page = await host.call('GET', `${list}?owner=all&limit=1`, { member: 'acme-admin' })
    const [, next] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
    expect(next).toMatch(new RegExp(`^${list}\\?`))
    expect((await host.call('GET', String(next), { member: 'acme-admin' })).status).toBe(200)
  })
})

/** Starts a replay to a new endpoint, and follows its Location. */
async function expectReplay(host: Host, webhooks: string, end: string): Promise<void> {
  const { id } = await createEndpoint(host)
  const member = 'acme-admin'
  const json = { since: new Date(Date.now() - 60_000).toISOString() }
  const begun = await host.call('POST', `${webhooks}/${id}${end}`, { member, json })
  expect(begun.status).toBe(202)
  const location = String(begun.headers.get('location'))
  expect(location).not.toMatch(/^\/\//)
  expect(await host.call('GET', location, { member })).toMatchObject({
    status: 200,
    body: { id: begun.body['id'] },
  })
  expect((await host.call('DELETE', `${WEBHOOKS}/${id}`, { member })).status).toBe(204)
}

describe('the Location of a replay leads to it', () => {
  it('behind rewriteUrl', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      fastify: { rewriteUrl: ({ url = '' }) => url.replace(/^\/rewritten/, '') },
    })
    await expectReplay(host, `/rewritten${WEBHOOKS}`, '/replay')
  })
})

beside('no logger', { fastify: { logger: false } })

/** A logger other than pino: only the levels and `child`. */
function plainLogger(lines: string[]): FastifyBaseLogger {
  const at = (level: string) => (fields: object, message?: string) => {
    lines.push([level, ...Object.keys(fields), message].join(' '))
  }
  const logger = {
    level: 'debug',
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    silent() {},
    child: () => logger,
  }
  return logger
}

const plainLines: string[] = []
beside('a logger other than pino', { fastify: { loggerInstance: plainLogger(plainLines) } }, (row) => {
  it('gets the log lines of our routes, including those for a key in the URL', async () => {
    plainLines.splice(0)
    await row.host.call('GET', `${QUOTATION}?api_key=${row.key}`)
    expect(plainLines).toContain('info code a request to the integrations API was refused')
  })
})

const redacted: string[] = []
besideSince(6)(
  'a pino logger with redaction, serializers and a child logger factory',
  {
    fastify: {
      logger: {
        level: 'debug',
        stream: { write: (line: string) => void redacted.push(line) },
        redact: ['req.headers.authorization', 'req.headers["x-api-key"]'],
        serializers: { req: ({ method, url, headers }) => ({ method, url, headers, service: 'host' }) },
      },
      childLoggerFactory: (logger, bindings, options) =>
        logger.child({ ...bindings, tenant: 'acme' }, options),
    },
  },
  (row) => {
    it('keeps the host’s changes to its log lines, and keys out of them', async () => {
      await row.host.call('GET', QUOTATION, {
        key: row.key,
        headers: { Authorization: 'Bearer of-the-host' },
      })
      await row.host.call('GET', `${QUOTATION}?api_key=${row.key}`)
      const lines = redacted.map((line) => JSON.parse(line))
      const ours = lines.filter(({ req }) => String(req?.url).startsWith(QUOTATION))
      expect(ours).toHaveLength(2)
      for (const line of ours) expect(line).toMatchObject({ tenant: 'acme', req: { service: 'host' } })
      expect(ours[0].req.headers).toMatchObject({ authorization: '[Redacted]', 'x-api-key': '[Redacted]' })
      expect(redacted.join('')).not.toContain(row.key)
      expect(redacted.join('')).not.toContain('of-the-host')
    })
  },
)

beside(
  'a child logger factory set before ours',
  {
    before(app) {
      app.setChildLoggerFactory((logger, bindings, options) =>
        logger.child({ ...bindings, tenant: 'acme' }, options),
      )
    },
  },
  (row) => {
    it('also creates the loggers of our requests', async () => {
      const before = row.host.logs.length
      await row.host.call('GET', QUOTATION, { key: row.key })
      await row.host.call('GET', `${QUOTATION}?api_key=x`, { key: row.key })
      const lines = row.host.logs.slice(before).map((line) => JSON.parse(line))
      const ofRequests = lines.filter(({ reqId }) => reqId !== undefined)
      expect(ofRequests).not.toEqual([])
      for (const line of ofRequests) expect(line).toMatchObject({ tenant: 'acme' })
    })
  },
)

besideSince(8)(
  'ignoreTrailingSlash, ignoreDuplicateSlashes and no case',
  {
    fastify: {
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false },
    },
    own: [{ method: 'GET', path: '/HOST//answer/', expected: { status: 200 } }],
  },
  (row) => {
    it('finds our routes by the same spellings', async () => {
      const at = async (method: string, path: string) => {
        const answer = await row.host.call(method, path, { key: row.key })
        return [answer.status, answer.headers.get('allow')]
      }
      const id = await row.host.startQuotation(row.key)
      expect(await at('GET', `/V1/Integrations//Quotations/${id}/`)).toEqual([200, null])
      expect(await at('GET', `/v1/integrations/quotations/${id.toUpperCase()}/PIPELINE`)).toEqual([200, null])
      expect(await at('DELETE', `/V1/Integrations//Quotations/${id}/`)).toEqual([405, 'GET, HEAD'])
    })

    it('returns a Location that leads to the quote or the replay', async () => {
      const quotation = await row.host.call('POST', '//v1/integrations/quotations//', {
        key: row.key,
        json: { requirementsText: 'x' },
      })
      const location = String(quotation.headers.get('location'))
      expect(location).toBe(`/v1/integrations/quotations/${quotation.body['quotation_id']}`)
      expect((await row.host.call('GET', location, { key: row.key })).status).toBe(200)
      for (const end of ['/replay/', '//replay', '/replay//', '/REPLAY/', '/%72eplay/']) {
        await expectReplay(row.host, `//v1/organizations/${ACME}/webhooks`, end)
      }
    })
  },
)

beside('no HEAD routes', {
  fastify: { exposeHeadRoutes: false },
  own: [{ method: 'HEAD', path: '/host/answer', expected: { status: 404 } }],
})

beside(
  'requestIdHeader and genReqId',
  {
    fastify: { requestIdHeader: 'x-correlation-id', genReqId: () => randomUUID() },
    after(app) {
      app.get('/host/id', async (request) => request.id)
    },
    own: [
      {
        method: 'GET',
        path: '/host/id',
        headers: { 'X-Correlation-Id': 'of the client' },
        expected: { body: 'of the client' },
      },
    ],
  },
  (row) => {
    it('gives our requests their ids', async () => {
      const given = await row.host.call('GET', QUOTATION, {
        key: row.key,
        headers: { 'X-Correlation-Id': 'c-1' },
      })
      expect([given.headers.get('x-request-id'), given.body['instance']]).toEqual(['c-1', 'c-1'])
      const made = await row.host.call('GET', QUOTATION, { key: row.key })
      expect(made.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    })
  },
)

besideSince(6)(
  'a rewritten URL, and its own query parser',
  {
    fastify: {
      rewriteUrl: (request) => (request.url ?? '').replace(/^\/tenant-1/, ''),
      routerOptions: { querystringParser: (text) => ({ text }) },
    },
    browser: { path: '/tenant-1' },
    after(app) {
      app.get('/host/query', async (request) => request.query)
    },
    own: [{ method: 'GET', path: '/tenant-1/host/query?a=1', expected: { body: '{"text":"a=1"}' } }],
  },
  (row) => {
    it('does not change how our routes read their queries', async () => {
      const list = (query: string) =>
        row.host.call('GET', `/v1/integrations/quotations${query}`, { key: row.key })
      await row.host.startQuotation(row.key)
      expect((await list('?limit=1')).body).toHaveLength(1)
      const pointers = (await list('?limit=1&limit=2')).body['errors']
      expect(pointers).toMatchObject([{ pointer: '?limit' }])
    })
  },
)
