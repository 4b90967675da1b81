import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memberOf } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, openHost, useDatabase, YEAR_AHEAD } from './support/host.ts'
import { createEndpoint, failQuote, useDeliveries, WEBHOOKS, webhooksOf } from './support/webhooks.ts'

const EVENT = 'quotation.failed'
const SESSION = { memberId: 'acme-admin', organizations: [{ id: ACME, role: 'admin' }] }
const context = useDeliveries()

async function endpoint() {
  return createEndpoint(context.host, { url: context.receiver.url, events: [EVENT] })
}

/** The log entries of a resource, oldest first. */
async function logOf(id: string, organization = ACME): Promise<unknown[]> {
  const member = organization === ACME ? 'acme-admin' : 'globex-admin'
  const path = `/v1/organizations/${organization}/audit-log?resource_id=${id}`
  const { status, body } = await context.host.call('GET', path, { member })
  expect(status).toBe(200)
  return (body as unknown as unknown[]).toReversed()
}

const entry = (id: string, action: string, changes: object[], from: string | null = '127.0.0.1') => ({
  actor_id: 'acme-admin',
  client_address: from,
  action: `webhook_endpoint.${action}`,
  resource_type: 'webhook_endpoint',
  resource_id: id,
  resource_name: 'CRM',
  changes,
})

const post = (path: string, member: 'acme-admin' | 'globex-admin', json?: unknown) =>
  context.host.call('POST', path, { member, json })

async function deliveryOf(endpointId: string): Promise<string> {
  const deliveries = () => context.sql`
    select delivery_id from quickquote.delivery_attempts where endpoint_id = ${endpointId} and status = 'succeeded'`
  await expect.poll(deliveries).toHaveLength(1)
  const [row] = await deliveries()
  return row?.['delivery_id']
}

describe('the audit log names the member who sent', () => {
  it('a test', async () => {
    const { id } = await endpoint()
    const { body } = await post(`${WEBHOOKS}/${id}/test`, 'acme-admin', { event_type: EVENT })
    const [attempt] = await context.sql`
      select delivery_id from quickquote.delivery_attempts where id = ${String(body['attempt_id'])}`

    expect(await logOf(id)).toMatchObject([
      { action: 'webhook_endpoint.created' },
      entry(id, 'tested', [
        { field: 'event_type', to: EVENT },
        { field: 'delivery_id', to: attempt?.['delivery_id'] },
      ]),
    ])
  })

  it('a resend', async () => {
    const { id } = await endpoint()
    await failQuote(context.host, 'resent')
    const delivery = await deliveryOf(id)

    const { status, body } = await post(`${WEBHOOKS}/deliveries/${delivery}/resend`, 'acme-admin')

    expect(status).toBe(202)
    expect(await logOf(id)).toMatchObject([
      { action: 'webhook_endpoint.created' },
      entry(id, 'delivery_resent', [
        { field: 'delivery_id', to: delivery },
        { field: 'resent_as', to: body['id'] },
      ]),
    ])
  })

  it('a replay', async () => {
    const { id } = await endpoint()
    const since = new Date(Date.now() - 60_000).toISOString()

    const { status, body } = await post(`${WEBHOOKS}/${id}/replay`, 'acme-admin', { since, status: 'all' })

    expect(status).toBe(202)
    expect(await logOf(id)).toMatchObject([
      { action: 'webhook_endpoint.created' },
      entry(id, 'replay_started', [
        { field: 'status', to: 'all' },
        { field: 'replay_id', to: body['id'] },
        { field: 'since', to: since },
        { field: 'until', to: body['until'] },
      ]),
    ])
  })

  it('but records no refused request', async () => {
    const { id } = await createEndpoint(context.host, { url: context.receiver.url, is_enabled: false })
    expect((await post(`${WEBHOOKS}/${id}/test`, 'acme-admin', { event_type: 'no.such' })).status).toBe(400)
    expect((await post(`${WEBHOOKS}/${id}/replay`, 'acme-admin', { since: YEAR_AHEAD })).status).toBe(400)
    const since = new Date(0).toISOString()
    expect((await post(`${WEBHOOKS}/${id}/replay`, 'acme-admin', { since })).status).toBe(409)

    expect(await logOf(id)).toMatchObject([{ action: 'webhook_endpoint.created' }])
  })

  it('but records no attempt of another organization with these ids', async () => {
    const { id } = await endpoint()
    await failQuote(context.host, 'theirs')
    const delivery = await deliveryOf(id)
    const theirs = webhooksOf(GLOBEX)
    const answers = [
      await post(`${theirs}/${id}/test`, 'globex-admin', { event_type: EVENT }),
      await post(`${theirs}/${id}/replay`, 'globex-admin', { since: new Date(0).toISOString() }),
      await post(`${theirs}/deliveries/${delivery}/resend`, 'globex-admin'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await logOf(id)).toMatchObject([{ action: 'webhook_endpoint.created' }])
    expect(await logOf(id, GLOBEX)).toEqual([])
  })
})

describe('the address in the audit log', () => {
  const database = useDatabase()

  async function addresses(): Promise<unknown[]> {
    const rows = await database.sql`
      select client_address from quickquote.audit_log where action = 'api_key.created' order by created_at, id`
    await database.sql`truncate quickquote.audit_log`
    return rows.map(({ client_address }) => client_address)
  }

  it('is the client’s behind a trusted proxy, and null if the proxy reports none', async () => {
    const host = await openHost({ databaseUrl: database.url, fastify: { trustProxy: true } })
    for (const forwarded of ['198.51.100.7', '2001:db8::7, 10.0.0.1', 'unknown', `1${'0'.repeat(5000)}`]) {
      const { status } = await host.call('POST', `/v1/organizations/${ACME}/api-keys`, {
        member: 'acme-admin',
        json: { name: 'CRM', expires_at: YEAR_AHEAD },
        headers: { 'X-Forwarded-For': forwarded },
      })
      expect(status).toBe(201)
    }
    expect(await addresses()).toEqual(['198.51.100.7', '2001:db8::7', null, null])
  })

  it('is null if the host itself calls, unless it passes one', async () => {
    const host = await openHost({ databaseUrl: database.url })
    const { apiKeys } = host.integrations
    const key = { name: 'CRM', expires_at: YEAR_AHEAD }
    await apiKeys.create(memberOf(SESSION, ACME), key)
    await apiKeys.create(memberOf(SESSION, ACME, { clientAddress: '198.51.100.7' }), key)
    expect(await addresses()).toEqual([null, '198.51.100.7'])
  })

  it('is null on a Unix socket', async () => {
    const socketPath = join(tmpdir(), `audit-${process.pid}.sock`)
    const host = await openHost({ databaseUrl: database.url, socketPath })
    await host.createKey()
    expect(await addresses()).toEqual([null])
  })
})
