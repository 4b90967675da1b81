import { describe, expect, it } from 'vitest'
import { ACME, useHost } from './support/host.ts'
import { createEndpoint, WEBHOOKS } from './support/webhooks.ts'

const context = useHost()
const KEYS = `/v1/organizations/${ACME}/api-keys`

describe('timestamps that members send', () => {
  const BAD_TIMES = [
    '2026-06-30T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '2999-01-01T00:00:00+0530',
  ]

  it.each(BAD_TIMES)('%s is refused as the expiry of a key', async (expires_at) => {
    const { status, body } = await context.host.call('POST', KEYS, {
      member: 'acme-admin',
      json: { name: 'CRM', expires_at },
    })
    expect([status, body['errors']]).toEqual([
      400,
      [{ pointer: '/expires_at', detail: expect.stringContaining('RFC 3339') }],
    ])
  })

  it.each(BAD_TIMES)('%s is refused as an end of a replay', async (time) => {
    const { id } = await createEndpoint(context.host)
    for (const json of [{ since: time }, { since: '2026-01-01T00:00:00Z', until: time }]) {
      const { status, body } = await context.host.call('POST', `${WEBHOOKS}/${id}/replay`, {
        member: 'acme-admin',
        json,
      })
      const pointer = 'until' in json ? '/until' : '/since'
      expect([status, body['errors']]).toEqual([
        400,
        [{ pointer, detail: expect.stringContaining('RFC 3339') }],
      ])
    }
    await context.host.call('DELETE', `${WEBHOOKS}/${id}`, { member: 'acme-admin' })
  })

  it('accepts and applies a zone, and accepts lower case', async () => {
    const hour = new Date(Date.now() + 60 * 60 * 1000)
    const inIndia = new Date(hour.getTime() + 5.5 * 60 * 60 * 1000).toISOString().replace('Z', '+05:30')
    const { body } = await context.host.call('POST', KEYS, {
      member: 'acme-admin',
      json: { name: 'CRM', expires_at: inIndia.toLowerCase() },
    })
    expect(body['expires_at']).toBe(hour.toISOString())
  })
})
