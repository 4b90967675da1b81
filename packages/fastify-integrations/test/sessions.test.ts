import type { Session } from '@quickquote/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SessionResolver } from '../src/index.ts'
import { ACME, GLOBEX, type Host, startHost, useDatabase, useHost, YEAR_AHEAD } from './support/host.ts'

const context = useHost()
const KEYS = `/v1/organizations/${ACME}/api-keys`
const WEBHOOKS = `/v1/organizations/${ACME}/webhooks`
const newKey = { name: 'CRM', expires_at: YEAR_AHEAD }
const newEndpoint = { name: 'CRM', url: 'https://crm.example.com/hook', events: ['quotation.completed'] }

describe('a session route', () => {
  it.each([KEYS, WEBHOOKS])('answers 401 without a session: %s', async (path) => {
    const { status, body } = await context.host.call('POST', path, { json: {} })
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'SESSION_REQUIRED' })
  })

  it('does not accept an API key', async () => {
    const { key } = await context.host.createKey()
    expect((await context.host.call('POST', KEYS, { key, json: newKey })).status).toBe(401)
  })

  it('lets any member create a key, and only holders of manage_integrations an endpoint', async () => {
    const { host } = context
    expect((await host.call('POST', KEYS, { member: 'acme-member', json: newKey })).status).toBe(201)
    const { status, body } = await host.call('POST', WEBHOOKS, { member: 'acme-member', json: newEndpoint })
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'PERMISSION_REQUIRED' })
    expect((await host.call('POST', WEBHOOKS, { member: 'acme-admin', json: newEndpoint })).status).toBe(201)
  })

  it('checks in order: session, membership, permission, then the body', async () => {
    const broken = { body: '{', headers: { 'Content-Type': 'application/json' } }
    const send = (member?: 'acme-member' | 'globex-admin' | 'acme-admin') =>
      context.host.call('POST', WEBHOOKS, { ...broken, ...(member ? { member } : {}) })
    expect((await send()).body).toMatchObject({ code: 'SESSION_REQUIRED' })
    expect((await send('globex-admin')).body).toMatchObject({ code: 'NOT_A_MEMBER' })
    expect((await send('acme-member')).body).toMatchObject({ code: 'PERMISSION_REQUIRED' })
    expect((await send('acme-admin')).body).toMatchObject({ code: 'MALFORMED_REQUEST' })
  })

  it('answers unknown paths and methods only to members', async () => {
    const { host } = context
    expect((await host.call('GET', `${KEYS}/x/y`)).status).toBe(401)
    expect((await host.call('GET', `${KEYS}/x/y`, { member: 'globex-admin' })).status).toBe(403)
    expect((await host.call('GET', `${KEYS}/x/y`, { member: 'acme-member' })).body).toMatchObject({
      code: 'ROUTE_NOT_FOUND',
    })
    const wrongMethod = await host.call('PUT', KEYS, { member: 'acme-member' })
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})

describe('a browser request from another site that would make changes', () => {
  const own = () => new URL(context.host.url).host
  const send = (headers: Record<string, string>) =>
    context.host.call('POST', KEYS, { member: 'acme-member', json: newKey, headers })

  it.each([
    ['Sec-Fetch-Site: cross-site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
    ['Sec-Fetch-Site with a value that does not exist', () => ({ 'Sec-Fetch-Site': 'own' })],
    [
      'Sec-Fetch-Site: cross-site with the right Origin',
      () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: `http://${own()}` }),
    ],
    ['the Origin of another host', () => ({ Origin: 'https://evil.example' })],
    ['the Origin of another scheme', () => ({ Origin: `https://${own()}` })],
    ['the Origin of another port', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['an opaque Origin', () => ({ Origin: 'null' })],
    ['an Origin that only begins like ours', () => ({ Origin: `http://${own()}.evil.example` })],
  ])('is a 403: %s', async (_, headers) => {
    const { status, body } = await send(headers())
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'CROSS_SITE_REQUEST' })
  })

  it.each([
    ['no browser at all', () => ({})],
    ['a page of the same origin', () => ({ 'Sec-Fetch-Site': 'same-origin', Origin: `http://${own()}` })],
    ['a page of the same site', () => ({ 'Sec-Fetch-Site': 'same-site', Origin: 'http://app.127.0.0.1' })],
    ['an address typed by the user', () => ({ 'Sec-Fetch-Site': 'none' })],
    ['an old browser, by its Origin', () => ({ Origin: `http://${own()}` })],
  ])('is accepted otherwise: %s', async (_, headers) => {
    expect((await send(headers())).status).toBe(201)
  })
})

describe('resolveSession', () => {
  const database = useDatabase()
  let host: Host
  let calls = 0
  let resolver: SessionResolver
  const good: Session = { memberId: 'm', organizations: [{ id: ACME, permissions: ['manage_integrations'] }] }

  beforeAll(async () => {
    host = await startHost({
      databaseUrl: database.url,
      plugin: {
        sessionTimeoutMs: 200,
        trustedOrigins: ['https://app.example.com'],
        resolveSession: (request) => {
          calls += 1
          return resolver(request)
        },
      },
    })
  })
  afterEach(() => {
    calls = 0
  })
  afterAll(() => host.close())
  const send = (headers: Record<string, string> = {}) =>
    host.call('POST', WEBHOOKS, { json: newEndpoint, headers })

  it('is called once per request', async () => {
    resolver = async () => good
    expect((await send()).status).toBe(201)
    expect(calls).toBe(1)
  })

  it('is not called on partner routes', async () => {
    await host.call('GET', '/v1/integrations/quotations')
    expect(calls).toBe(0)
  })

  it('may list permissions, which override the role', async () => {
    resolver = () => ({ memberId: 'm', organizations: [{ id: ACME, role: 'admin', permissions: [] }] })
    expect((await send()).body).toMatchObject({ code: 'PERMISSION_REQUIRED' })
  })

  it('may name several organizations, in any case', async () => {
    resolver = () => ({
      memberId: 'm',
      organizations: [{ id: GLOBEX }, { id: ACME.toUpperCase(), role: 'admin' }],
    })
    const { status, body } = await send()
    expect(status).toBe(201)
    expect(body).toMatchObject({ organization_id: ACME })
  })

  it('trusts the pages of origins that the host lists', async () => {
    resolver = () => good
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example.com' }
    expect((await send(headers)).status).toBe(201)
    expect((await send({ ...headers, Origin: 'https://app.example.org' })).status).toBe(403)
  })

  it.each<[string, SessionResolver]>([
    ['null', () => null],
    ['undefined', () => undefined],
    ['a promise of null', async () => null],
    [
      'an error with the status 401',
      () => Promise.reject(Object.assign(new Error('no'), { statusCode: 401 })),
    ],
  ])('reports that nobody is signed in by %s', async (_, answer) => {
    resolver = answer
    const { status, body } = await send()
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'SESSION_REQUIRED' })
  })

  it('with a misspelled role gives no permission, and the log names it once, with the known roles', async () => {
    const asRole = (role: string) => () => ({ memberId: 'm', organizations: [{ id: ACME, role }] })
    const before = host.logs.length
    for (const role of ['ADMIN', 'ADMIN', 'member']) {
      resolver = asRole(role)
      expect((await host.call('GET', WEBHOOKS)).status).toBe(403)
    }
    const lines = host.logs.slice(before).filter((line) => line.includes('"known_roles"'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { role: 'ADMIN', known_roles: ['admin', 'member'] },
    ])
  })

  it.each<[string, SessionResolver]>([
    [
      'throws',
      () => {
        throw new Error('sessions are gone')
      },
    ],
    ['rejects', () => Promise.reject(new Error('sessions are gone'))],
    ['rejects with something other than an error', () => Promise.reject('sessions are gone')],
    ['hangs', () => new Promise(() => {})],
  ])('that %s is a 503, with its error only in the log', async (_, answer) => {
    resolver = answer
    const before = host.logs.length
    const { status, body } = await send()
    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(JSON.stringify(body)).not.toMatch(/sessions are gone|resolveSession/)
    expect(host.logs.slice(before).filter((line) => line.includes('"level":50'))).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['true', true],
    ['text', 'acme-admin'],
    ['an empty object', {}],
    ['a member without an id', { organizations: [] }],
    ['organizations that are not a list', { memberId: 'm', organizations: { id: ACME } }],
    ['an organization without an id', { memberId: 'm', organizations: [{ role: 'admin' }] }],
    [
      'permissions that are not a list',
      { memberId: 'm', organizations: [{ id: ACME, permissions: 'manage_integrations' }] },
    ],
    ['text instead of an organization', { memberId: 'm', organizations: [ACME] }],
    [
      'an object whose fields throw',
      {
        memberId: 'm',
        get organizations() {
          throw new Error('gone')
        },
      },
    ],
    ['a number for a member', { memberId: 5, organizations: [{ id: ACME, role: 'admin' }] }],
  ])('that returns %s is a 500, and the log names the invalid field', async (_, answer) => {
    resolver = () => answer as Session
    const before = host.logs.length
    const { status, body } = await send()
    expect(status).toBe(500)
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR' })
    expect(host.logs.slice(before).join('')).toContain('resolveSession returned neither a session nor null')
  })
})
