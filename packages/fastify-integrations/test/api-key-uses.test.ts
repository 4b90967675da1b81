import type { UsesOfApiKey } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, type Host, type MemberName, NOWHERE, openHost, useHost } from './support/host.ts'

const context = useHost({ fastify: { trustProxy: true } })
const QUOTATIONS = '/v1/integrations/quotations'
const from = (address: string) => ({ 'X-Forwarded-For': address })

const pathOf = (id: string, organization = ACME) => `/v1/organizations/${organization}/api-keys/${id}/uses`
async function usesOf(id: string, member: MemberName = 'acme-admin', host: Host = context.host) {
  const { status, body } = await host.call('GET', pathOf(id), { member })
  expect(status).toBe(200)
  return body as unknown as UsesOfApiKey
}

describe('GET /v1/organizations/:organizationId/api-keys/:id/uses', () => {
  it('counts each of 30 days by status, and lists the requests, refused ones too, newest first', async () => {
    const { host } = context
    const { id, key } = await host.createKey('acme-member')
    const quotation = await host.startQuotation(key)
    await host.call('GET', `${QUOTATIONS}/${quotation}?wait=0`, { key, headers: from('2001:db8::7') })
    await host.call('GET', `${QUOTATIONS}/${NOWHERE}`, { key })
    await host.call('GET', '/v1/integrations/none', { key })
    await host.call('POST', `/v1/organizations/${ACME}/api-keys/${id}/deactivate`, { member: 'acme-member' })
    const refused = await host.call('GET', QUOTATIONS, { key, headers: from('198.51.100.7') })

    const { days, requests } = await usesOf(id)
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toEqual({
      date: new Date().toISOString().slice(0, 10),
      answered: 2,
      refused: 3,
      statuses: { '2xx': 2, '3xx': 0, '4xx': 3, '5xx': 0 },
    })
    expect(days[0]).toMatchObject({ answered: 0, refused: 0 })
    expect(requests.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', QUOTATIONS, 403],
      ['GET', '/v1/integrations/*', 404],
      ['GET', `${QUOTATIONS}/:id`, 404],
      ['GET', `${QUOTATIONS}/:id`, 200],
      ['POST', QUOTATIONS, 202],
    ])
    expect(requests.map(({ address }) => address)).toEqual([
      '198.51.100.7',
      '127.0.0.1',
      '127.0.0.1',
      '2001:db8::7',
      '127.0.0.1',
    ])
    expect(requests[0]?.request_id).toBe(refused.headers.get('x-request-id'))
    expect(requests[0]?.at).toMatch(/^\d{4}-.+Z$/)
  })

  it('is for those who may read the key', async () => {
    const { id } = await context.host.createKey('acme-admin')
    const other = await context.host.createKey('globex-admin')
    const tried: [MemberName, string, string, number][] = [
      ['acme-viewer', id, ACME, 200],
      ['acme-member', id, ACME, 404],
      ['acme-admin', other.id, ACME, 404],
      ['acme-admin', other.id, GLOBEX, 403],
      ['acme-admin', NOWHERE, ACME, 404],
    ]
    for (const [member, key, organization, expected] of tried) {
      const { status } = await context.host.call('GET', pathOf(key, organization), { member })
      expect([member, key, status]).toEqual([member, key, expected])
    }
  })

  it('is beside the quotes that were started with the key', async () => {
    const { host } = context
    const [one, other] = [await host.createKey(), await host.createKey()]
    const started = [await host.startQuotation(one.key), await host.startQuotation(one.key)]
    await host.startQuotation(other.key)
    const path = pathOf(one.id).replace('/uses', '/quotations')
    const { status, body } = await host.call('GET', path, { member: 'acme-viewer' })
    const quotes = body as unknown as { id: string; status: string }[]
    expect([status, quotes.map(({ id }) => id)]).toEqual([200, started.toReversed()])
    expect(quotes[0]).toEqual({
      id: started[1],
      name: expect.any(String),
      status: 'queued',
      created_at: expect.any(String),
    })
  })

  it('keeps the newest 100, and counts all', async () => {
    const { host } = context
    const { id } = await host.createKey()
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 70; each += 1) {
        const request = { method: 'GET', route: `/${round}`, status: 304, address: null, request_id: 'r' }
        host.integrations.apiKeys.noteRequest(id, request)
      }
      await usesOf(id)
    }
    const { days, requests } = await usesOf(id)
    expect(days.at(-1)).toMatchObject({ answered: 210, statuses: { '3xx': 210 } })
    expect(requests).toHaveLength(100)
    expect(requests.filter(({ route }) => route === '/2')).toHaveLength(70)
    const [row] = await context.sql`
      select sum(jsonb_array_length(requests))::int as kept from quickquote.api_key_requests where api_key_id = ${id}`
    // A batch is kept whole.
    expect(row?.['kept']).toBe(140)
  })

  it('has no addresses with recordAddresses: false, and what one process has noted is there for others after it closes', async () => {
    const hidden = await openHost({
      databaseUrl: context.databaseUrl,
      integrations: { apiKeys: { recordAddresses: false } },
    })
    const { id, key } = await hidden.createKey()
    await hidden.call('GET', QUOTATIONS, { key })
    await hidden.close()
    const { requests } = await usesOf(id)
    expect(requests).toMatchObject([{ status: 200, address: null }])
  })

  it('forgets what retention.eventDays no longer keeps', async () => {
    const { host, sql } = context
    const { id, key } = await host.createKey()
    await host.call('GET', QUOTATIONS, { key })
    await usesOf(id)
    const before = new Date(Date.now() - 40 * 86_400_000)
    await sql`insert into quickquote.api_key_days values (${id}, ${before}, 1, 0, 0, 0)`
    await sql`insert into quickquote.api_key_requests (id, api_key_id, at, requests)
      values ('01900000-0000-7000-8000-000000000001', ${id}, ${before}, '[{}]')`
    await host.integrations.enforceRetention()
    const [row] = await sql`select
      (select count(*)::int from quickquote.api_key_days where api_key_id = ${id}) as days,
      (select count(*)::int from quickquote.api_key_requests where api_key_id = ${id}) as requests`
    expect(row).toMatchObject({ days: 1, requests: 1 })
  })
})
