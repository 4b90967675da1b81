import { beforeAll, describe, expect, it } from 'vitest'
import type { Area, Route } from '../src/route.ts'
import { routeTable } from '../src/route-table.ts'
import { ACME, type CallOptions, GLOBEX, NOWHERE, YEAR_AHEAD } from './support/host.ts'
import { createEndpoint, failQuote, useDeliveries, webhooksOf } from './support/webhooks.ts'

const context = useDeliveries({ integrations: { limits: { failedAuthenticationsPerMinute: 10_000 } } })

/** Resources of an organization, by the part of the path before the parameter. */
type Resources = Record<'api-keys' | 'webhooks' | 'deliveries' | 'replays', string>
let OURS: Resources
let THEIRS: Resources

async function resourcesOf(
  organizationId: string,
  member: 'acme-admin' | 'globex-admin',
): Promise<Resources> {
  const { host, receiver } = context
  const webhooks = webhooksOf(organizationId)
  const endpoint = await createEndpoint(host, { url: receiver.url }, member)
  await failQuote(host, 'a quote', member)
  const json = { event_type: 'quotation.completed' }
  await host.call('POST', `${webhooks}/${endpoint.id}/test`, { member, json })
  const { body } = await host.call('GET', `${webhooks}/deliveries`, { member })
  const [attempt] = body as unknown as { delivery_id: string }[]
  const since = '2026-01-01T00:00:00Z'
  const replay = await host.call('POST', `${webhooks}/${endpoint.id}/replay`, { member, json: { since } })
  return {
    'api-keys': (await host.createKey(member)).id,
    webhooks: endpoint.id,
    deliveries: String(attempt?.delivery_id),
    replays: String(replay.body['id']),
  }
}

beforeAll(async () => {
  OURS = await resourcesOf(ACME, 'acme-admin')
  THEIRS = await resourcesOf(GLOBEX, 'globex-admin')
})

/** Every session route. */
function rows(): (Route & { prefix: string })[] {
  return routeTable(context.host.integrations, { apiKeyRoutes: true })
    .filter((area): area is Area & { kind: 'session' } => area.kind === 'session')
    .flatMap(({ prefix, routes }) => routes.map((route) => ({ ...route, prefix })))
}

function call(
  row: Route & { prefix: string },
  organizationId: string,
  id: string | Resources,
  options: CallOptions,
) {
  const body = row.body?.['application/json']?.example
  const json = isObject(body) && 'expires_at' in body ? { ...body, expires_at: YEAR_AHEAD } : body
  const since = row.query?.['required']?.includes('since') ? '?since=2026-01-01T00:00:00Z' : ''
  const path = (row.prefix + row.url)
    .replace(':organizationId', organizationId)
    .replace(
      /([\w-]+)\/:\w+/g,
      (_, parent: keyof Resources) => `${parent}/${typeof id === 'string' ? id : id[parent]}`,
    )
  return context.host.call(row.method, path + since, { ...options, json })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The id in GLOBEX for the parameter of a row. */
function theirIdFor({ prefix, url }: { prefix: string; url: string }): string | undefined {
  const path = (prefix + url).replace(':organizationId', '')
  const parent = /([\w-]+)\/:\w+/.exec(path)?.[1]
  return parent === undefined ? undefined : THEIRS[parent as keyof Resources]
}

const nameOf = ({ method, prefix, url }: { method: string; prefix: string; url: string }) =>
  `${method} ${prefix}${url}`

describe('every session route of the table', () => {
  it('exists', () => {
    expect(rows().map(nameOf)).toEqual(
      expect.arrayContaining([
        'GET /v1/organizations/:organizationId/webhooks/events',
        'GET /v1/organizations/:organizationId/webhooks/summary',
        'GET /v1/organizations/:organizationId/webhooks/deliveries',
        'GET /v1/organizations/:organizationId/webhooks',
        'POST /v1/organizations/:organizationId/webhooks',
        'GET /v1/organizations/:organizationId/webhooks/:id',
        'PATCH /v1/organizations/:organizationId/webhooks/:id',
        'DELETE /v1/organizations/:organizationId/webhooks/:id',
        'POST /v1/organizations/:organizationId/webhooks/:id/rotate-secret',
        'POST /v1/organizations/:organizationId/webhooks/:id/test',
      ]),
    )
  })

  it('answers 401 without a session', async () => {
    for (const row of rows()) {
      const { status, body } = await call(row, ACME, NOWHERE, {})
      expect([nameOf(row), status, body['code']]).toEqual([nameOf(row), 401, 'SESSION_REQUIRED'])
    }
  })

  it('answers 403 to a member without the permission, unless any member may call it', async () => {
    for (const row of rows()) {
      const { status, body } = await call(row, ACME, NOWHERE, { member: 'acme-member' })
      const isRefused = status === 403 && body['code'] === 'PERMISSION_REQUIRED'
      expect([nameOf(row), isRefused]).toEqual([nameOf(row), row.access !== 'member'])
    }
  })

  it('lets a viewer read everything, also keys of others, and change nothing', async () => {
    for (const row of rows()) {
      const { status, body } = await call(row, ACME, OURS, { member: 'acme-viewer' })
      // Every member creates keys of their own.
      const isOwnKey = row.operationId === 'createApiKey'
      const expected = row.method === 'GET' ? 200 : isOwnKey ? 201 : 403
      expect([nameOf(row), status]).toEqual([nameOf(row), expected])
      if (status === 403) expect([nameOf(row), body['code']]).toEqual([nameOf(row), 'PERMISSION_REQUIRED'])
    }
    const { status } = await context.host.call('GET', `/v1/organizations/${ACME}/api-keys?owner=all`, {
      member: 'acme-viewer',
    })
    expect(status).toBe(200)
  })

  it('asks for the permission on every webhook route', () => {
    for (const row of rows()) {
      if (row.access === 'member') continue
      const access = row.method === 'GET' ? 'view_integrations' : 'manage_integrations'
      expect([nameOf(row), row.access]).toEqual([nameOf(row), access])
    }
    const open = rows().filter(({ prefix, access }) => prefix.endsWith('/webhooks') && access === 'member')
    expect(open.map(nameOf)).toEqual([])
  })

  it('answers 403 to an admin of another organization, whether or not the organization exists', async () => {
    for (const row of rows()) {
      const id = theirIdFor(row) ?? NOWHERE
      const answers = [
        await call(row, GLOBEX, id, { member: 'acme-admin' }),
        await call(row, NOWHERE, id, { member: 'acme-admin' }),
      ]
      for (const { status, body } of answers) {
        expect([nameOf(row), status, body['code']]).toEqual([nameOf(row), 403, 'NOT_A_MEMBER'])
      }
    }
  })

  it('answers ids of another organization like unknown ones', async () => {
    let tried = 0
    for (const row of rows()) {
      const id = theirIdFor(row)
      if (id === undefined) {
        expect([nameOf(row), row.url.includes(':')]).toEqual([nameOf(row), false])
        continue
      }
      const other = await call(row, ACME, id, { member: 'acme-admin' })
      const unknown = await call(row, ACME, NOWHERE, { member: 'acme-admin' })
      expect([nameOf(row), other.status]).toEqual([nameOf(row), 404])
      expect({ ...other.body, instance: '' }).toEqual({ ...unknown.body, instance: '' })
      tried += 1
    }
    expect(tried).toBeGreaterThanOrEqual(5)
  })

  it('refuses changes from pages of other sites', async () => {
    for (const row of rows()) {
      if (row.method === 'GET') continue
      const { status, body } = await call(row, ACME, NOWHERE, {
        member: 'acme-admin',
        headers: { 'Sec-Fetch-Site': 'cross-site' },
      })
      expect([nameOf(row), status, body['code']]).toEqual([nameOf(row), 403, 'CROSS_SITE_REQUEST'])
    }
  })
})
