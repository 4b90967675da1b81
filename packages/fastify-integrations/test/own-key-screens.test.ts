import { expect, it } from 'vitest'
import { ACME, NOWHERE, openHost, useDatabase, YEAR_AHEAD } from './support/host.ts'

const database = useDatabase()

it('apiKeyRoutes: false leaves the routes for API keys to the host, whose own screens call the same service', async () => {
  const host = await openHost({
    databaseUrl: database.url,
    plugin: { apiKeyRoutes: false },
    after(app) {
      app.post('/v1/organizations/:organizationId/api-keys', async () => ({ host: 'mine' }))
    },
  })
  const path = `/v1/organizations/${ACME}/api-keys`
  expect(await fetch(host.url + path, { method: 'POST' }).then((answer) => answer.json())).toEqual({
    host: 'mine',
  })
  expect(Object.keys(host.openapi.paths).filter((each) => each.includes('api-keys'))).toEqual([])
  const member = { memberId: 'm', organizationId: ACME, permissions: new Set<string>() }
  const { key } = await host.integrations.apiKeys.create(member, { name: 'x', expires_at: YEAR_AHEAD })
  const { status } = await host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key: key.reveal() })
  expect(status).toBe(404)
})
