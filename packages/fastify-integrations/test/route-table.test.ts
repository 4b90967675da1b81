import { describe, expect, it } from 'vitest'
import { routeTable } from '../src/route-table.ts'
import { GLOBEX, NOWHERE, useHost } from './support/host.ts'

const registered: { url: string; access: string | undefined }[] = []
const context = useHost({
  integrations: { limits: { failedAuthenticationsPerMinute: 1000 } },
  before(app) {
    app.addHook('onRoute', (route) => {
      // Read late: hooks of inner scopes add to the config.
      queueMicrotask(() => registered.push({ url: route.url, access: route.config?.integrations?.access }))
    })
  },
})

/** Every row, with every parameter filled in. */
function rows() {
  return routeTable(context.host.integrations, { apiKeyRoutes: true }).flatMap((area) =>
    area.routes.map((route) => ({
      kind: area.kind,
      access: route.access,
      method: route.method,
      path: (area.prefix + route.url).replace(':organizationId', GLOBEX).replace(/:\w+/g, NOWHERE),
    })),
  )
}

describe('every route of the table', () => {
  it('has the access that its area authenticates', () => {
    for (const { kind, access } of rows()) {
      expect(
        kind === 'partner' ? ['api_key'] : ['member', 'view_integrations', 'manage_integrations'],
      ).toContain(access)
    }
  })

  it('refuses requests without credentials, or with those of the other kind', async () => {
    const { key } = await context.host.createKey()
    for (const { kind, method, path } of rows()) {
      const other = kind === 'partner' ? { member: 'globex-admin' as const } : { key }
      for (const credentials of [{}, other]) {
        const { status, body } = await context.host.call(method, path, credentials)
        expect([method, path, status]).toEqual([method, path, 401])
        expect(['API_KEY_MISSING', 'SESSION_REQUIRED']).toContain(body['code'])
      }
    }
  })

  it('refuses members of another organization', async () => {
    for (const { kind, method, path } of rows()) {
      if (kind === 'partner') continue
      const { status, body } = await context.host.call(method, path, { member: 'acme-admin' })
      expect([path, status, body['code']]).toEqual([path, 403, 'NOT_A_MEMBER'])
    }
  })

  it('shows its access to the host, like all routes of the plugin', async () => {
    expect(registered.length).toBeGreaterThan(rows().length)
    expect(registered.filter(({ access }) => access === undefined)).toEqual([])
  })
})
