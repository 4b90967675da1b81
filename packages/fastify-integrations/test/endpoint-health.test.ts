import type { FailingEndpoint } from '@quickquote/core'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ACME } from './support/host.ts'
import { failQuote, useDeliveries } from './support/webhooks.ts'

const told: FailingEndpoint[] = []
let hook: (endpoint: FailingEndpoint) => void | Promise<void> = () => {}
const DAYS = 24 * 60 * 60 * 1000
let later = 0

const context = useDeliveries({
  integrations: {
    delivery: { maxAttempts: 1 },
    hookTimeoutMs: 200,
    now: () => new Date(Date.now() + later),
    onEndpointDisabled: (endpoint) => {
      told.push(endpoint)
      return hook(endpoint)
    },
  },
})
beforeEach(() => {
  told.length = 0
  later = 0
  hook = () => {}
})
afterAll(() => {
  later = 0
})

const { call, newEndpoint } = context

/** Sends a failed quote to an endpoint whose receiver answers with this status. */
async function deliver(endpoint: { id: string }, status: number) {
  context.respond(() => ({ status }))
  const count = async () => {
    const { body } = await call('GET', `/deliveries?endpoint_id=${endpoint.id}`)
    return (body as unknown as unknown[]).length
  }
  const before = await count()
  await failQuote(context.host, 'x')
  await vi.waitFor(async () => expect(await count()).toBe(before + 1), { timeout: 60_000 })
}
const get = async (id: string) => (await call('GET', `/${id}`)).body

describe('the health of an endpoint', () => {
  it('has the last success, the first failure since, and the recent success rate; also in a list', async () => {
    const endpoint = await newEndpoint()
    await deliver(endpoint, 204)
    expect((await get(endpoint.id))['health']).toEqual({
      last_success_at: expect.any(String),
      failing_since: null,
      recent_attempts: 1,
      recent_success_rate: 1,
      changed_before_failing: null,
    })
    await deliver(endpoint, 500)
    const health = {
      last_success_at: expect.any(String),
      failing_since: expect.any(String),
      recent_attempts: 2,
      recent_success_rate: 0.5,
      // Not the change of the name below, which is later.
      changed_before_failing: {
        action: 'webhook_endpoint.created',
        actor_id: 'acme-admin',
        at: expect.any(String),
      },
    }
    expect((await get(endpoint.id))['health']).toEqual(health)
    const list = (await call('GET', '')).body as unknown as { id: string; health: object }[]
    expect(list.find(({ id }) => id === endpoint.id)?.health).toEqual(health)
    expect((await call('PATCH', `/${endpoint.id}`, { name: 'x' })).body['health']).toEqual(health)
    await call('DELETE', `/${endpoint.id}`)
  })

  it('is not changed by a test', async () => {
    const endpoint = await newEndpoint()
    context.respond(() => ({ status: 500 }))
    await call('POST', `/${endpoint.id}/test`, { event_type: 'quotation.completed' })
    expect((await get(endpoint.id))['health']).toMatchObject({ failing_since: null, recent_attempts: 0 })
    await call('DELETE', `/${endpoint.id}`)
  })
})

describe('an endpoint whose deliveries have all failed', () => {
  const disable = () => context.host.integrations.disableFailingEndpoints()

  it('is disabled after five days, with a visible reason, a call of the hook, and an entry in the audit log', async () => {
    const endpoint = await newEndpoint()
    await deliver(endpoint, 500)
    later = 5 * DAYS - 60_000
    expect(await disable()).toBe(0)
    later = 5 * DAYS + 60_000
    expect(await disable()).toBe(1)
    const seen = await get(endpoint.id)
    expect(seen).toMatchObject({ is_enabled: false, disabled_reason: 'failing' })
    expect(told).toEqual([
      {
        id: endpoint.id,
        organization_id: ACME,
        name: 'CRM',
        failing_since: new Date(String((seen['health'] as Record<string, unknown>)['failing_since'])),
      },
    ])
    expect(
      await context.sql`select actor_id, changes from quickquote.audit_log
        where resource_id = ${endpoint.id} and action = 'webhook_endpoint.disabled'`,
    ).toEqual([{ actor_id: null, changes: [{ field: 'is_enabled', from: true, to: false }] }])
    expect(await disable()).toBe(0)

    expect((await call('PATCH', `/${endpoint.id}`, { is_enabled: true })).body).toMatchObject({
      is_enabled: true,
      disabled_reason: null,
      health: { failing_since: null },
    })
    expect(await disable()).toBe(0)
    await call('DELETE', `/${endpoint.id}`)
  })

  it('stays enabled if anything succeeded meanwhile', async () => {
    const endpoint = await newEndpoint()
    await deliver(endpoint, 500)
    await deliver(endpoint, 204)
    later = 30 * DAYS
    expect(await disable()).toBe(0)
    await call('DELETE', `/${endpoint.id}`)
  })

  it('stays enabled if something succeeds after it was found failing', async () => {
    const endpoint = await newEndpoint()
    await deliver(endpoint, 500)
    later = 6 * DAYS
    const { endpointHealth } = context.host.integrations.storage
    const { findFailing } = endpointHealth
    const found = vi.spyOn(endpointHealth, 'findFailing').mockImplementationOnce(async (...which) => {
      const failing = await findFailing(...which)
      await deliver(endpoint, 204)
      return failing
    })
    expect(await disable()).toBe(0)
    expect(await found.mock.results[0]?.value).toMatchObject([{ id: endpoint.id }])
    expect(told).toEqual([])
    expect(await get(endpoint.id)).toMatchObject({ is_enabled: true })
    await call('DELETE', `/${endpoint.id}`)
  })

  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('the mail server is down'))],
    ['hangs', () => new Promise(() => {})],
  ])('is disabled once by any number of processes, even if the hook %s', async (_does, failure) => {
    const endpoint = await newEndpoint()
    await deliver(endpoint, 500)
    later = 6 * DAYS
    hook = failure
    const disabled = await Promise.all([disable(), disable(), disable()])
    expect(disabled.reduce((sum, each) => sum + each, 0)).toBe(1)
    expect(told).toHaveLength(1)
    expect(await get(endpoint.id)).toMatchObject({ is_enabled: false })
    await call('DELETE', `/${endpoint.id}`)
  })
})
