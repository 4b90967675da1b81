import type { Integrations, Session } from '@quickquote/core'
import { openBrowser, type Page } from '@quickquote/dev-servers/browser'
import { openIntegrations, printIfFailed } from '@quickquote/dev-servers/vitest'
import { type FastifyIntegrationsOptions, fastifyIntegrations } from '@quickquote/fastify-integrations'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { onTestFinished } from 'vitest'
import { ORGANIZATION, TOKEN } from './front-ends/session.ts'

/** A host with one member, who has a cookie or a token, and a browser that must log no error. */
export async function portalHost(
  before: (app: FastifyInstance) => unknown = () => {},
  plugin: Partial<FastifyIntegrationsOptions> = {},
): Promise<{ app: FastifyInstance; page: Page; integrations: Integrations; resolveSession: ResolveSession }> {
  const { integrations } = await openIntegrations()
  const resolveSession: ResolveSession = ({ headers }) =>
    headers.authorization === `Bearer ${TOKEN}` || headers.cookie?.includes('session=ada')
      ? { memberId: 'ada', organizations: [{ id: ORGANIZATION, name: 'Acme GmbH', role: 'admin' }] }
      : null
  const app = Fastify()
  const browser = await openBrowser()
  onTestFinished(async () => {
    await browser.close()
    await app.close()
  })
  await before(app)
  await app.register(fastifyIntegrations, { integrations, resolveSession, ...plugin })
  const page = await browser.newPage()
  page.setDefaultTimeout(30_000)
  printIfFailed(page)
  return { app, page, integrations, resolveSession }
}

type ResolveSession = (request: FastifyRequest) => Session | null
