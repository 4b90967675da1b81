import type { Member } from '@quickquote/core'
import { afterEach, expect, it } from 'vitest'
import { ACME, NOWHERE, useHost } from './support/host.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const QUOTATIONS = '/v1/integrations/quotations'
let ahead = 0
const context = useHost({
  integrations: { now: () => new Date(Date.now() + ahead), limits: { startsPerMinute: 1 } },
})
afterEach(() => {
  ahead = 0
})

const owner: Member = { memberId: 'acme-member', organizationId: ACME, permissions: new Set() }
const createKey = async (days: number) => {
  const { apiKeys } = context.host.integrations
  const expires_at = new Date(Date.now() + days * DAY_MS).toISOString()
  const { key } = await apiKeys.create(owner, { name: 'CRM', expires_at })
  return { key: key.reveal(), expires_at }
}

it('every response in the last 30 days of a key carries its expiry', async () => {
  const { key, expires_at } = await createKey(31)
  const { call } = context.host
  const notice = async (method: string, path: string, json?: unknown) => {
    const { status, headers } = await call(method, path, { key, json })
    return [status, headers.get('x-api-key-expires-at')]
  }
  expect(await notice('GET', QUOTATIONS)).toEqual([200, null])
  ahead = 1 * DAY_MS + 60_000
  expect(await notice('GET', QUOTATIONS)).toEqual([200, expires_at])
  expect(await notice('GET', `${QUOTATIONS}/${NOWHERE}`)).toEqual([404, expires_at])
  expect(await notice('POST', QUOTATIONS, { requirementsText: '' })).toEqual([400, expires_at])
  expect(await notice('POST', QUOTATIONS, { requirementsText: 'A roof.' })).toEqual([429, expires_at])
  ahead = 31 * DAY_MS + 60_000
  expect(await notice('GET', QUOTATIONS)).toEqual([403, null])
})

it('responses without a key, or of session routes, do not', async () => {
  await createKey(1)
  const { call } = context.host
  expect((await call('GET', QUOTATIONS)).headers.get('x-api-key-expires-at')).toBeNull()
  const keys = await call('GET', `/v1/organizations/${ACME}/api-keys`, { member: 'acme-member' })
  expect(keys.headers.get('x-api-key-expires-at')).toBeNull()
})
