import { expect, it } from 'vitest'
import { ACME, GLOBEX, useHost } from './support/host.ts'

const context = useHost()
const quote = { requirementsText: 'Customers sign in.' }

it('an organization that is being erased: its keys are revoked, its members refused, and others notice nothing', async () => {
  const { host } = context
  const [acme, globex] = [await host.createKey('acme-admin'), await host.createKey('globex-admin')]
  await host.startQuotation(acme.key)
  await host.integrations.organizations.erase(ACME)

  const start = (key: string) => host.call('POST', '/v1/integrations/quotations', { key, json: quote })
  const keys = (organization: string, member: 'acme-member' | 'globex-admin') =>
    host.call('GET', `/v1/organizations/${organization}/api-keys`, { member })
  expect(await start(acme.key)).toMatchObject({ status: 403, body: { code: 'API_KEY_REVOKED' } })
  expect(await keys(ACME, 'acme-member')).toMatchObject({
    status: 403,
    body: { code: 'ORGANIZATION_ERASED' },
  })
  const catalog = `/v1/organizations/${ACME}/webhooks/events`
  expect(await host.call('GET', catalog, { member: 'acme-admin' })).toMatchObject({ status: 403 })
  expect(await start(globex.key)).toMatchObject({ status: 202 })
  expect(await keys(GLOBEX, 'globex-admin')).toMatchObject({ status: 200 })

  while (await host.integrations.continueErasing()) {}
  expect(await start(acme.key)).toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } })
  expect(await keys(ACME, 'acme-member')).toMatchObject({ status: 200 })
  expect(await start(globex.key)).toMatchObject({ status: 202 })
})

it('a start whose key was looked at before erasing began is refused', async () => {
  const { host } = context
  const { id } = await host.createKey('acme-admin')
  await host.integrations.organizations.erase(ACME)
  const start = { organizationId: ACME, source: 'api_key' as const, apiKeyId: id, body: quote }
  await expect(host.integrations.quotations.start(start)).rejects.toMatchObject({
    code: 'ORGANIZATION_ERASED',
    status: 403,
  })
  while (await host.integrations.continueErasing()) {}
})
