import { IntegrationError, memberOf, type StartQuotationBody } from '@quickquote/core'
import { answerFrameworkError, fastifyIntegrations } from '@quickquote/fastify-integrations'
import { fastifyPortal } from '@quickquote/portal'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Redis } from 'ioredis'
import { findDocument } from './documents.ts'
import type { Host } from './host.ts'
import { describeMembers } from './members.ts'

/** As the portal and the documentation of the API show it. */
const BRAND = { name: 'Quick Quotes' }

const STRING = { type: 'string' }
const UUID = { type: 'string', format: 'uuid' }

/**
 * Builds the host app: a few routes of its own, and the integrations. start-server.ts listens.
 * @param options.publicUrl where clients reach the app
 * @param options.redis for rate limits shared by several instances
 */
export async function buildApp(
  host: Host,
  { publicUrl, redis }: { publicUrl: string; redis?: Redis | undefined },
): Promise<FastifyInstance> {
  const { integrations, sessions, documentLinks, sql } = host
  const app = Fastify({ loggerInstance: host.logger, frameworkErrors: answerFrameworkError })

  await app.register(fastifyIntegrations, {
    integrations,
    resolveSession: (request) => sessions.resolve(request),
    publicUrl,
    describeMembers: async (ids) => describeMembers(ids),
    ...(redis && { redis }),
    apiDocs: {
      sessionScheme: { type: 'http', scheme: 'bearer', description: 'The token of `POST /login`.' },
      brand: BRAND,
      homeUrl: '/',
    },
  })

  await app.register(fastifyPortal, {
    integrations,
    resolveSession: (request) => sessions.resolve(request),
    prefix: '/portal',
    signInUrl: '/?next={url}',
    brand: BRAND,
    apiReferenceUrl: '/api-docs',
    homeUrl: '/',
  })

  app.get('/health', async (_, reply) => {
    const reachable = await sql`select 1`.then(
      () => true,
      () => false,
    )
    return reply.code(reachable ? 200 : 503).send({ database: reachable ? 'ok' : 'unreachable' })
  })

  app.post<{ Body: { email: string; password: string } }>(
    '/login',
    {
      schema: {
        body: {
          type: 'object',
          required: ['email', 'password'],
          properties: { email: STRING, password: STRING },
        },
      },
    },
    async (request, reply) => {
      const session = await sessions.signIn(request.body.email, request.body.password)
      if (session === null) return reply.code(401).send({ message: 'Wrong e-mail address or password.' })
      reply.header('Set-Cookie', sessions.cookie(session.token))
      return { token: session.token, organization_id: session.organizationId }
    },
  )

  // A member starts a quote in the web app: the same pipeline and events, but another `source`.
  app.post<{ Body: StartQuotationBody & { organization_id: string } }>(
    '/quotes',
    {
      schema: {
        body: { type: 'object', required: ['organization_id'], properties: { organization_id: UUID } },
      },
    },
    async (request, reply) => {
      const session = await sessions.resolve(request)
      if (session === null) throw new IntegrationError('SESSION_REQUIRED')
      const { organizationId } = memberOf(session, request.body.organization_id)
      const started = await integrations.quotations.start({
        organizationId,
        source: 'ui',
        body: request.body,
      })
      return reply.code(202).send(started)
    },
  )

  // The link itself is the permission: anyone who has it may read the document until it expires.
  app.get<{ Params: { id: string }; Querystring: { expires: string; signature: string } }>(
    '/documents/:id',
    {
      schema: {
        params: { type: 'object', properties: { id: UUID } },
        querystring: {
          type: 'object',
          required: ['expires', 'signature'],
          properties: { expires: STRING, signature: STRING },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      if (!documentLinks.check(id, request.query)) {
        return reply.code(403).send({ message: 'This link has expired, or was not signed here.' })
      }
      const content = await findDocument(sql, id)
      if (content === null) return reply.code(404).send({ message: 'There is no such document.' })
      return reply
        .type('application/pdf')
        .header('Content-Disposition', `inline; filename="proposal-${id}.pdf"`)
        .header('Cache-Control', 'private, no-store')
        .send(content)
    },
  )

  return app
}
