import type { Member } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost, YEAR_AHEAD } from './support/host.ts'

const context = useHost({ limitsKeys: true, integrations: { limits: { apiKeysPerMember: 3 } } })

const memberOf = (memberId: string, organizationId = ACME): Member => ({
  memberId,
  organizationId,
  permissions: new Set(['manage_integrations']),
})

async function createKey(memberId: string, organizationId = ACME) {
  const { apiKeys } = context.host.integrations
  const body = { name: `Key of ${memberId}`, expires_at: YEAR_AHEAD }
  const { id, key } = await apiKeys.create(memberOf(memberId, organizationId), body)
  return { id, value: key.reveal() }
}

async function answerTo(value: string) {
  const { status, body } = await context.host.call('GET', '/v1/integrations/events', { key: value })
  return status === 200 ? 200 : `${status} ${body['code']}`
}

async function auditOf(id: string) {
  const query = { resource_id: id, limit: 1 }
  const { items } = await context.host.integrations.auditLog.list(memberOf('auditor'), query)
  return items[0]
}

describe('revokeOfMember', () => {
  it('revokes every key of the member from the next request on, and no other key', async () => {
    const { apiKeys } = context.host.integrations
    const [first, inactive] = [await createKey('leaver'), await createKey('leaver')]
    await apiKeys.deactivate(memberOf('leaver'), inactive.id)
    const [stays, elsewhere] = [await createKey('stayer'), await createKey('leaver', GLOBEX)]

    const revoked = await apiKeys.revokeOfMember(ACME, 'leaver', { by: 'boss' })

    expect(revoked.map(({ id, status }) => [id, status]).sort()).toEqual(
      [first.id, inactive.id].map((id) => [id, 'revoked']).sort(),
    )
    expect(await answerTo(first.value)).toBe('403 API_KEY_REVOKED')
    expect(await answerTo(inactive.value)).toBe('403 API_KEY_REVOKED')
    expect(await answerTo(stays.value)).toBe(200)
    expect(await answerTo(elsewhere.value)).toBe(200)
    expect(await auditOf(inactive.id)).toMatchObject({
      actor_id: 'boss',
      action: 'api_key.revoked',
      changes: [{ field: 'status', from: 'inactive', to: 'revoked' }],
    })
    expect(await apiKeys.revokeOfMember(ACME, 'leaver')).toEqual([])
  })

  it('refuses invalid ids', async () => {
    const { apiKeys } = context.host.integrations
    await expect(async () => apiKeys.revokeOfMember('crm', 'leaver')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    await expect(async () => apiKeys.revokeOfMember(ACME, '')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
  })
})

describe('transfer', () => {
  it('gives the keys to another member: they keep working, and the log names the previous owner', async () => {
    const { apiKeys } = context.host.integrations
    const key = await createKey('giver')
    const elsewhere = await createKey('giver', GLOBEX)

    const [transferred] = await apiKeys.transfer(ACME, { from: 'giver', to: 'taker' }, { by: 'boss' })

    expect(transferred).toMatchObject({ id: key.id, owner_id: 'taker', status: 'active' })
    expect(await answerTo(key.value)).toBe(200)
    expect((await apiKeys.list(memberOf('taker'))).items.map(({ id }) => id)).toEqual([key.id])
    expect((await apiKeys.list(memberOf('giver'))).items).toEqual([])
    expect((await apiKeys.get(memberOf('giver', GLOBEX), elsewhere.id)).owner_id).toBe('giver')
    expect(await auditOf(key.id)).toMatchObject({
      actor_id: 'boss',
      action: 'api_key.transferred',
      changes: [{ field: 'owner_id', from: 'giver', to: 'taker' }],
    })
    expect(await apiKeys.transfer(ACME, { from: 'taker', to: 'taker' })).toEqual([])
  })

  it('changes nothing if the other member would have too many', async () => {
    const { apiKeys } = context.host.integrations
    for (let n = 0; n < 2; n += 1) await createKey('full')
    const keys = [await createKey('many'), await createKey('many')]

    const transfer = apiKeys.transfer(ACME, { from: 'many', to: 'full' })
    await expect(transfer).rejects.toMatchObject({ code: 'API_KEY_LIMIT_REACHED' })

    const { items } = await apiKeys.list(memberOf('many'))
    expect(items.map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort())
    expect(await auditOf(keys[0]?.id ?? '')).toMatchObject({ action: 'api_key.created' })
  })
})
