import { ERRORS } from '@quickquote/core'
import { lossyProxy } from '@quickquote/dev-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerFrameworkError } from '../src/index.ts'
import { ACME, NOWHERE, openHost, useDatabase, useHost } from './support/host.ts'
import { sendRaw } from './support/socket.ts'
import { WEBHOOKS } from './support/webhooks.ts'

const database = useDatabase()
const context = useHost()
const READ = `/v1/integrations/quotations/${NOWHERE}`

describe('a problem document (RFC 9457)', () => {
  it('has type, title, status, detail, instance and code, and nothing else', async () => {
    const { headers, body } = await context.host.call('GET', READ)
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      type: 'urn:problem-type:quickquote:API_KEY_MISSING',
      title: ERRORS.API_KEY_MISSING.title,
      status: 401,
      detail: ERRORS.API_KEY_MISSING.advice,
      instance: headers.get('x-request-id'),
      code: 'API_KEY_MISSING',
    })
  })

  it('has errors for a validation failure', async () => {
    const { key } = await context.host.createKey()
    const { body } = await context.host.call('POST', '/v1/integrations/quotations', {
      key,
      json: { name: 5 },
    })
    expect(body).toMatchObject({
      detail: '/name: must be a string or null',
      errors: [{ pointer: '/name', detail: 'must be a string or null' }],
    })
  })

  it('takes its type from the host’s documentation if given', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { problemTypeBase: 'https://docs.example.com/errors#' },
    })
    expect((await host.call('GET', READ)).body).toMatchObject({
      type: 'https://docs.example.com/errors#API_KEY_MISSING',
    })
  })
})

describe('X-Request-Id', () => {
  it('is on every response', async () => {
    const { host } = context
    const { key } = await host.createKey()
    const answers = [
      await host.call('GET', READ, { key }),
      await host.call('GET', '/v1/integrations/nothing'),
      await host.call('POST', `/v1/organizations/${ACME}/webhooks`, { member: 'acme-admin', json: {} }),
      await host.call('GET', '/api-docs/json'),
    ]
    for (const { headers } of answers) expect(headers.get('x-request-id')).toMatch(/^req-/)
  })

  it('is not taken from the client by default', async () => {
    const { headers } = await context.host.call('GET', READ, { headers: { 'X-Request-Id': 'mine' } })
    expect(headers.get('x-request-id')).not.toBe('mine')
  })

  it.each([
    ['the client’s if it is usable', '7f3a-21', '7f3a-21'],
    ['another one if it is too long', 'x'.repeat(129), null],
    ['another one if it has unsafe characters', '<script>', null],
  ])('is %s, if the host takes it from the client', async (_, sent, expected) => {
    const host = await openHost({ databaseUrl: database.url, fastify: { requestIdHeader: 'x-request-id' } })
    const { headers, body } = await host.call('GET', READ, { headers: { 'X-Request-Id': sent } })
    expect(headers.get('x-request-id')).toMatch(expected ?? /^[0-9a-f-]{36}$/)
    expect(body['instance']).toBe(headers.get('x-request-id'))
  })
})

describe('an error on our side', () => {
  const secret = 'parameter-that-nobody-may-see'
  const fault = Object.assign(new Error(`Failed query: select $1\nparams: ${secret}`), {
    query: 'select $1',
    params: [secret],
    cause: Object.assign(new Error('connection lost, key pk_0123456789abcdefghij'), {
      code: '08006',
      detail: secret,
    }),
  })

  it('is a 503 while the database is unavailable', async () => {
    const proxy = await lossyProxy(database.url)
    onTestFinished(() => proxy.stop())
    const host = await openHost({ databaseUrl: proxy.url })
    const { key } = await host.createKey()
    const id = await host.startQuotation(key)
    proxy.refuse(true)
    proxy.cut('close')
    const { status, body } = await host.call('GET', `/v1/integrations/quotations/${id}`, { key })
    expect([status, body['code']]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    proxy.refuse(false)
    await expect
      .poll(async () => (await host.call('GET', `/v1/integrations/quotations/${id}`, { key })).status)
      .toBe(200)
  })

  it('is a 500 without details, and a log line with the cause but no parameters', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      wrapStorage: (storage) => ({
        ...storage,
        quotations: { ...storage.quotations, find: () => Promise.reject(fault) },
      }),
    })
    const { key } = await host.createKey()
    const { status, body } = await host.call('GET', READ, { key })
    expect(status).toBe(500)
    expect(body).toEqual({
      type: 'urn:problem-type:quickquote:INTERNAL_ERROR',
      title: ERRORS.INTERNAL_ERROR.title,
      status: 500,
      detail: ERRORS.INTERNAL_ERROR.advice,
      instance: expect.any(String),
      code: 'INTERNAL_ERROR',
    })
    const line = host.logs.find((each) => each.includes('"level":50'))
    expect(JSON.parse(String(line))).toMatchObject({
      reqId: body['instance'],
      code: 'INTERNAL_ERROR',
      err: { type: 'Error', cause: { code: '08006', message: 'connection lost, key pk_***' } },
    })
    expect(host.logs.join('')).not.toContain(secret)
  })

  it.each([
    ['text', 'boom'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { statusCode: 200, message: 'fine' }],
    ['an error with an invalid status', Object.assign(new Error('x'), { statusCode: 999 })],
    ['an error whose cause is itself', Object.assign(new Error('x'), { cause: fault })],
  ])('is a 500 if %s is thrown', async (_, thrown) => {
    const host = await openHost({
      databaseUrl: database.url,
      wrapStorage: (storage) => ({
        ...storage,
        quotations: { ...storage.quotations, find: () => Promise.reject(thrown) },
      }),
    })
    const { key } = await host.createKey()
    expect((await host.call('GET', READ, { key })).status).toBe(500)
  })

  it('is also a 500 before a key is known', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      wrapStorage: (storage) => ({
        ...storage,
        apiKeys: { ...storage.apiKeys, findByHash: () => Promise.reject(fault) },
      }),
    })
    const { key } = await host.createKey()
    expect((await host.call('GET', READ, { key })).status).toBe(500)
    expect(host.logs.join('')).not.toContain(secret)
  })
})

describe('404 and 405', () => {
  it.each([
    ['GET', '/v1/integrations'],
    ['GET', '/v1/integrations/'],
    ['GET', '/v1/integrations/nothing'],
    ['POST', '/v1/integrations/quotations/a/b/c'],
    ['PUT', '/v1/integrations/proposals'],
  ])('an unknown route is a 404: %s %s', async (method, path) => {
    const { key } = await context.host.createKey()
    const { status, body } = await context.host.call(method, path, { key })
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  })

  it.each([
    ['PUT', '/v1/integrations/quotations', 'POST, GET, HEAD'],
    ['DELETE', '/v1/integrations/quotations', 'POST, GET, HEAD'],
    ['OPTIONS', '/v1/integrations/quotations', 'POST, GET, HEAD'],
    ['POST', READ, 'GET, HEAD'],
    ['PATCH', `${READ}/pipeline`, 'GET, HEAD'],
    ['PUT', `/v1/integrations/proposals/${NOWHERE}/document-url`, 'GET, HEAD'],
    ['PATCH', `${WEBHOOKS}/events`, 'GET, HEAD'],
    ['DELETE', `${WEBHOOKS}/events`, 'GET, HEAD'],
    ['PATCH', `${WEBHOOKS}/deliveries`, 'GET, HEAD'],
    ['DELETE', `${WEBHOOKS}/deliveries`, 'GET, HEAD'],
    ['PUT', `${WEBHOOKS}/deliveries`, 'GET, HEAD'],
    ['DELETE', `${WEBHOOKS}/deliveries/hours`, 'GET, HEAD'],
    ['GET', '/v1/integrations/quotations/files', 'POST'],
    ['POST', '/v1/integrations/me', 'GET, HEAD'],
  ])('an unsupported method is a 405 with Allow: %s %s', async (method, path, allow) => {
    const { key } = await context.host.createKey()
    const { status, headers, body } = await context.host.call(method, path, { key, member: 'acme-admin' })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe(allow)
    expect(body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
  })

  it('both ignore the body', async () => {
    const { key } = await context.host.createKey()
    const broken = { key, body: '{', headers: { 'Content-Type': 'text/plain' } }
    expect((await context.host.call('POST', '/v1/integrations/nothing', broken)).status).toBe(404)
    expect((await context.host.call('PUT', '/v1/integrations/quotations', broken)).status).toBe(405)
  })

  it('a method unknown to Fastify is also refused', async () => {
    const answer = await sendRaw(
      context.host.url,
      'PROPFIND /v1/integrations/quotations HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toContain('application/problem+json')
  })
})

describe('a malformed URL', () => {
  const urls = ['/v1/integrations/%zz', '/v1/integrations/quotations/%', '/v1/organizations/%f0%28/webhooks']

  it.each(urls)('is a problem document if the host uses answerFrameworkError: %s', async (url) => {
    const host = await openHost({
      databaseUrl: database.url,
      fastify: { frameworkErrors: answerFrameworkError },
    })
    const { status, headers, body } = await host.call('GET', url, { key: 'pk_x' })
    expect(status).toBe(400)
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body).toMatchObject({ code: 'MALFORMED_REQUEST', instance: headers.get('x-request-id') })
  })

  it('is otherwise Fastify’s own 400, because no plugin is called', async () => {
    const response = await fetch(`${context.host.url}/v1/integrations/%zz`)
    expect(response.status).toBe(400)
  })

  it('a path segment too long for the router is a 400', async () => {
    const { key } = await context.host.createKey()
    const { status, body } = await context.host.call(
      'GET',
      `/v1/integrations/quotations/${'x'.repeat(101)}`,
      { key },
    )
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'MALFORMED_REQUEST', detail: 'A part of the path is too long.' })
  })

  it('does not include a malformed query', async () => {
    expect((await context.host.call('GET', `${READ}?x=%zz`)).status).toBe(401)
  })
})
