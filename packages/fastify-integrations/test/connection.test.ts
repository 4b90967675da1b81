import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost } from './support/host.ts'

const context = useHost()
const read = (key: string, query = '') => context.host.call('GET', `/v1/integrations/me${query}`, { key })

describe('GET /v1/integrations/me', () => {
  it('names the organization and the key of the request, without its secret, and counts', async () => {
    const { id, key } = await context.host.createKey()
    const { status, headers, body } = await read(key)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      organization_id: ACME,
      api_key: {
        id,
        name: 'test',
        status: 'active',
        masked_key: expect.stringMatching(/^pk_.{4}….{4}$/),
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
    expect(headers.get('ratelimit')).toContain('r=59')
    expect((await read(key)).headers.get('ratelimit')).toContain('r=58')
  })

  it('shows a new name at once', async () => {
    const { id, key } = await context.host.createKey()
    await context.host.call('PATCH', `/v1/organizations/${ACME}/api-keys/${id}`, {
      member: 'acme-admin',
      json: { name: 'Zapier' },
    })
    expect((await read(key)).body).toMatchObject({ api_key: { name: 'Zapier' } })
  })

  it("is about the key's organization, whatever the client says about its own", async () => {
    const { id, key } = await context.host.createKey('globex-admin')
    const { body } = await read(key, `?organization_id=${ACME}&organizationId=${ACME}`)
    expect(body).toMatchObject({ organization_id: GLOBEX, api_key: { id } })
    expect(JSON.stringify(body)).not.toContain(ACME)
  })

  it('refuses a key that may not be used with the reason', async () => {
    const { id, key } = await context.host.createKey()
    await context.host.call('DELETE', `/v1/organizations/${ACME}/api-keys/${id}`, { member: 'acme-admin' })
    expect(await read(key)).toMatchObject({ status: 403, body: { code: 'API_KEY_REVOKED' } })
    expect(await read(`${key.slice(0, -1)}!`)).toMatchObject({
      status: 401,
      body: { code: 'API_KEY_INVALID' },
    })
  })
})
