import type { Member } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, type MemberName, NOWHERE, useHost, YEAR_AHEAD } from './support/host.ts'

let ahead = 0
const context = useHost({ integrations: { now: () => new Date(Date.now() + ahead) } })
const LOG = `/v1/organizations/${ACME}/audit-log`
const KEYS = `/v1/organizations/${ACME}/api-keys`
const WEBHOOKS = `/v1/organizations/${ACME}/webhooks`

const call = (method: string, path: string, as: MemberName, json?: unknown) =>
  context.host.call(method, path, { member: as, json })

interface Entry {
  readonly id: string
  readonly action: string
  readonly actor_id: string
  readonly created_at: string
}

async function log(query: string): Promise<Entry[]> {
  const { status, body } = await call('GET', `${LOG}?${query}`, 'acme-admin')
  expect(status).toBe(200)
  return body as unknown as Entry[]
}

async function made(path: string, as: MemberName, json: unknown): Promise<string> {
  const { status, body } = await call('POST', path, as, json)
  expect(status).toBe(201)
  return String(body['id'])
}
const makeKey = (name = 'CRM') => made(KEYS, 'acme-member', { name, expires_at: YEAR_AHEAD })

describe('GET /v1/organizations/:organizationId/audit-log', () => {
  it('lists who changed a key, what and when, newest first', async () => {
    const id = await makeKey()
    await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name: 'ERP' })
    await call('POST', `${KEYS}/${id}/deactivate`, 'acme-admin')
    await call('POST', `${KEYS}/${id}/activate`, 'acme-member')
    await call('DELETE', `${KEYS}/${id}`, 'acme-admin')

    const entry = (action: string, actor_id: string, name: string, changes: unknown) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: ACME,
      actor_id,
      client_address: '127.0.0.1',
      action: `api_key.${action}`,
      resource_type: 'api_key',
      resource_id: id,
      resource_name: name,
      changes,
      created_at: expect.stringMatching(/Z$/),
    })
    const status = (from: string, to: string) => [{ field: 'status', from, to }]
    const entries = await log(`resource_id=${id}`)
    expect(entries).toEqual([
      entry('revoked', 'acme-admin', 'ERP', status('active', 'revoked')),
      entry('activated', 'acme-member', 'ERP', status('inactive', 'active')),
      entry('deactivated', 'acme-admin', 'ERP', status('active', 'inactive')),
      entry('updated', 'acme-member', 'ERP', [{ field: 'name', from: 'CRM', to: 'ERP' }]),
      entry('created', 'acme-member', 'CRM', [
        { field: 'name', to: 'CRM' },
        { field: 'status', to: 'active' },
        { field: 'expires_at', to: YEAR_AHEAD },
      ]),
    ])
    const times = entries.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('lists who changed an endpoint, without its secret, its description or the query of its URL', async () => {
    const url = 'https://crm.example.com/hook?token=t0p-s3cret'
    const id = await made(WEBHOOKS, 'acme-admin', {
      name: 'CRM',
      url,
      events: ['quotation.completed'],
      description: 'a long story',
    })
    const answers = [
      await call('PATCH', `${WEBHOOKS}/${id}`, 'acme-admin', { is_enabled: false, description: null }),
      await call('POST', `${WEBHOOKS}/${id}/rotate-secret`, 'acme-admin'),
      await call('DELETE', `${WEBHOOKS}/${id}`, 'acme-admin'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 204])

    const entries = await log(`resource_id=${id}`)
    expect(entries).toMatchObject([
      { action: 'webhook_endpoint.deleted', resource_name: 'CRM' },
      { action: 'webhook_endpoint.secret_rotated', changes: [{ field: 'secret_hint' }] },
      {
        action: 'webhook_endpoint.disabled',
        actor_id: 'acme-admin',
        resource_type: 'webhook_endpoint',
        changes: [{ field: 'description' }, { field: 'is_enabled', from: true, to: false }],
      },
      {
        action: 'webhook_endpoint.created',
        changes: expect.arrayContaining([{ field: 'events', to: ['quotation.completed'] }]),
      },
    ])
    const text = JSON.stringify(entries)
    expect(text).toContain('https://crm.example.com/hook')
    expect(text).not.toMatch(/t0p-s3cret|a long story|whsec_/)
  })

  it('omits refused requests and those that changed nothing', async () => {
    const id = await makeKey()
    await call('POST', `${KEYS}/${id}/activate`, 'acme-member')
    await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name: 'CRM' })
    await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name: '' })
    await call('DELETE', `${KEYS}/${id}`, 'globex-admin')
    expect(await log(`resource_id=${id}`)).toMatchObject([{ action: 'api_key.created' }])
  })

  it('filters by resource, action, member and time', async () => {
    const id = await makeKey()
    ahead = 60_000
    await call('POST', `${KEYS}/${id}/deactivate`, 'acme-member')
    ahead = 120_000
    await call('DELETE', `${KEYS}/${id}`, 'acme-member')
    ahead = 0
    const [revoked, deactivated, created] = await log(`resource_id=${id}`)
    expect(await log(`resource_id=${id}&action=api_key.deactivated`)).toEqual([deactivated])
    expect(await log(`resource_id=${id}&since=${deactivated?.created_at}`)).toEqual([revoked, deactivated])
    expect(await log(`resource_id=${id}&until=${deactivated?.created_at}`)).toEqual([created])
    expect(
      await log(`resource_id=${id}&since=${deactivated?.created_at}&until=${revoked?.created_at}`),
    ).toEqual([deactivated])
    expect(await log(`resource_id=${id}&actor_id=${String(revoked?.actor_id)}`)).toEqual([
      revoked,
      deactivated,
      created,
    ])
    expect(await log(`resource_id=${id}&actor_id=somebody-else`)).toEqual([])
    const revocations = await log('action=api_key.revoked')
    expect(revocations).toContainEqual(revoked)
    expect(new Set(revocations.map(({ action }) => action))).toEqual(new Set(['api_key.revoked']))
  })

  it('continues page by page through the next link, which keeps the filter', async () => {
    const id = await makeKey()
    for (const name of ['a', 'b', 'c', 'd']) await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name })
    const whole = await log(`resource_id=${id}`)
    const read = []
    for (let next: string | undefined = `${LOG}?resource_id=${id}&limit=2`; next !== undefined; ) {
      const { headers, body } = await call('GET', next, 'acme-admin')
      read.push(body as unknown as Entry[])
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(read.map((page) => page.length)).toEqual([2, 2, 1])
    expect(read.flat()).toEqual(whole)
  })

  it('is only for holders of manage_integrations in this organization', async () => {
    expect((await context.host.call('GET', LOG)).status).toBe(401)
    expect((await call('GET', LOG, 'acme-member')).body).toMatchObject({ code: 'PERMISSION_REQUIRED' })
    expect((await call('GET', LOG, 'globex-admin')).body).toMatchObject({ code: 'NOT_A_MEMBER' })
    const member: Member = { memberId: 'm', organizationId: ACME, permissions: new Set() }
    await expect(context.host.integrations.auditLog.list(member)).rejects.toMatchObject({
      code: 'PERMISSION_REQUIRED',
    })
  })

  it('answers the ids of another organization like unknown ones', async () => {
    const { id } = await context.host.createKey('globex-admin')
    expect(await log(`resource_id=${id}`)).toEqual([])
    expect(await log(`resource_id=${NOWHERE}`)).toEqual([])
  })

  it.each([
    ['resource_id=CRM', '?resource_id'],
    ['action=api_key.stolen', '?action'],
    ['since=yesterday', '?since'],
    ['until=2026-11-21', '?until'],
    ['limit=0', '?limit'],
    ['cursor=next', '?cursor'],
  ])('refuses ?%s with 400', async (query, pointer) => {
    const { status, body } = await call('GET', `${LOG}?${query}`, 'acme-admin')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })
})
