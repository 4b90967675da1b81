import { expect, it } from 'vitest'
import { ACME, GLOBEX, useHost, YEAR_AHEAD } from './support/host.ts'

/** Runs right after a request has found that the organization is not being erased. */
let onceLetIn: (() => Promise<unknown>) | undefined

async function letIn<T>(found: T): Promise<T> {
  const happen = onceLetIn
  onceLetIn = undefined
  await happen?.()
  return found
}

const context = useHost({
  wrapStorage: (storage) => ({
    ...storage,
    apiKeys: {
      ...storage.apiKeys,
      findByHash: async (hash) => letIn(await storage.apiKeys.findByHash(hash)),
    },
    erasure: { ...storage.erasure, isErasing: async (id) => letIn(await storage.erasure.isErasing(id)) },
  }),
})
const quote = { requirementsText: 'Customers sign in.' }

it('an organization that is being erased: its keys are revoked, its members refused, and others unaffected', async () => {
  const { host } = context
  const [acme, globex] = [await host.createKey('acme-admin'), await host.createKey('globex-admin')]
  await host.startQuotation(acme.key)
  await host.integrations.organizations.erase(ACME)

  const start = (key: string) => host.call('POST', '/v1/integrations/quotations', { key, json: quote })
  const keys = (organization: string, member: 'acme-member' | 'globex-admin') =>
    host.call('GET', `/v1/organizations/${organization}/api-keys`, { member })
  expect(await start(acme.key)).toMatchObject({ status: 403, body: { code: 'API_KEY_REVOKED' } })
  expect(await keys(ACME, 'acme-member')).toMatchObject({ status: 403, body: { code: 'NOT_A_MEMBER' } })
  const catalog = `/v1/organizations/${ACME}/webhooks/events`
  expect(await host.call('GET', catalog, { member: 'acme-admin' })).toMatchObject({ status: 403 })
  expect(await start(globex.key)).toMatchObject({ status: 202 })
  expect(await keys(GLOBEX, 'globex-admin')).toMatchObject({ status: 200 })

  while (await host.integrations.continueErasing()) {}
  expect(await start(acme.key)).toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } })
  expect(await keys(ACME, 'acme-member')).toMatchObject({ status: 200 })
  expect(await start(globex.key)).toMatchObject({ status: 202 })
})

it('requests accepted just before are refused like later ones', async () => {
  const { host } = context
  const { key } = await host.createKey('acme-admin')
  onceLetIn = () => host.integrations.organizations.erase(ACME)
  expect(await host.call('POST', '/v1/integrations/quotations', { key, json: quote })).toMatchObject({
    status: 403,
    body: { code: 'API_KEY_REVOKED' },
  })
  while (await host.integrations.continueErasing()) {}

  await host.createKey('acme-admin')
  onceLetIn = () => host.integrations.organizations.erase(ACME)
  const json = { name: 'crm', expires_at: YEAR_AHEAD }
  expect(
    await host.call('POST', `/v1/organizations/${ACME}/api-keys`, { member: 'acme-member', json }),
  ).toMatchObject({ status: 403, body: { code: 'NOT_A_MEMBER' } })
  while (await host.integrations.continueErasing()) {}
})
