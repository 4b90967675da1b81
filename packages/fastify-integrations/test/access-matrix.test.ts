import { beforeAll, describe, expect, it } from 'vitest'
import type { Area, Route } from '../src/route.ts'
import { routeTable } from '../src/route-table.ts'
import { ACME, type CallOptions, GLOBEX, NOWHERE, YEAR_AHEAD } from './support/host.ts'
import { createEndpoint, failQuote, useDeliveries, webhooksOf } from './support/webhooks.ts'

const context = useDeliveries({ integrations: { limits: { failedAuthenticationsPerMinute: 10_000 } } })

/** Resources of the organization GLOBEX, by the part of the path before the parameter. */
const THEIRS: Record<string, string> = {}

beforeAll(async () => {
  const { host, receiver } = context
  const endpoint = await createEndpoint(host, { url: receiver.url }, 'globex-admin')
  await failQuote(host, 'theirs', 'globex-admin')
  await host.call('POST', `${webhooksOf(GLOBEX)}/${endpoint.id}/test`, {
    member: 'globex-admin',
    json: { event_type: 'quotation.completed' },
  })
  const { body } = await host.call('GET', `${webhooksOf(GLOBEX)}/deliveries`, { member: 'globex-admin' })
  const [attempt] = body as unknown as { delivery_id: string }[]
  THEIRS['api-keys'] = (await host.createKey('globex-admin')).id
  THEIRS['webhooks'] = endpoint.id
  THEIRS['deliveries'] = String(attempt?.delivery_id)
})

/** Every session route. */
function rows(): (Route & { prefix: string })[] {
  return routeTable(context.host.integrations, { apiKeyRoutes: true })
    .filter((area): area is Area & { kind: 'session' } => area.kind === 'session')
    .flatMap(({ prefix, routes }) => routes.map((route) => ({ ...route, prefix })))
}

function call(row: Route & { prefix: string }, organizationId: string, id: string, options: CallOptions) {
  const body = row.body?.['application/json']?.example
  const json = isObject(body) && 'expires_at' in body ? { ...body, expires_at: YEAR_AHEAD } : body
  const since = row.query?.['required']?.includes('since') ? '?since=2026-01-01T00:00:00Z' : ''
  const path = (row.prefix + row.url).replace(':organizationId', organizationId).replace(/:\w+/g, id) + since
  return context.host.call(row.method, path, { ...options, json })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The id in GLOBEX for the parameter of a row. */
function theirIdFor({ prefix, url }: { prefix: string; url: string }): string | undefined {
  const path = (prefix + url).replace(':organizationId', '')
  const parent = /([\w-]+)\/:\w+/.exec(path)?.[1]
  return parent === undefined ? undefined : THEIRS[parent]
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
      expect([nameOf(row), isRefused]).toEqual([nameOf(row), row.access === 'manage_integrations'])
    }
  })

  it('asks for the permission on every webhook route', () => {
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
