import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { IntegrationError } from '@quickquote/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findDocument } from './documents.ts'
import type { Host } from './host.ts'
import { DEMO_PASSWORD, MEMBERS, type Member } from './members.ts'
import { BEHAVIOURS, type Behaviour, type Inbox, type ReceivedWebhook, type Receiver } from './receiver.ts'

const FOLDER = resolve(import.meta.dirname, '../page')
const FILES = { '/': 'index.html', '/page.css': 'page.css', '/page.js': 'page.js', '/api.js': 'api.js' }
const SHOWN_QUOTES = 5
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

/** Everything comes from this server, and no one may frame the page: it has a session. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/**
 * The page at `/` and its routes besides the API: sign-in, and a partner's receiver that can be watched and controlled.
 * Each organization has its own inbox there.
 */
export async function servePlayground(
  app: FastifyInstance,
  { host, receiver }: { host: Host; receiver: Receiver },
): Promise<void> {
  const { sessions, integrations, sql } = host
  for (const [url, name] of Object.entries(FILES)) {
    const content = await readFile(resolve(FOLDER, name), 'utf8')
    const type = TYPES[name.slice(name.indexOf('.') + 1) as keyof typeof TYPES]
    app.get(url, async (_, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('Content-Security-Policy', POLICY)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Referrer-Policy', 'no-referrer')
        .header('Cache-Control', 'no-cache')
        .send(content),
    )
  }

  app.get('/play/members', async () =>
    MEMBERS.map(({ email, role, organizationId }) => ({
      email,
      role,
      organization_id: organizationId,
      password: DEMO_PASSWORD,
    })),
  )

  /** The key that the system of a member's partner has, until the member signs out. */
  const keys = new Map<string, string>()

  /** The signed-in member, so that a reload keeps the session; `email` is null without one. */
  app.get('/play/session', async (request, reply) => {
    reply.header('Cache-Control', 'no-store')
    const member = await sessions.member(request)
    if (member === null) return { email: null }
    const { id, email, role, organizationId } = member
    return { email, role, organization_id: organizationId, api_key: keys.get(id) ?? null }
  })

  app.put<{ Body: { key: string } }>(
    '/play/key',
    {
      schema: {
        body: { type: 'object', required: ['key'], properties: { key: { type: 'string', maxLength: 200 } } },
      },
    },
    async (request, reply) => {
      keys.set((await memberOf(request)).id, request.body.key)
      return reply.code(204).send()
    },
  )

  app.post('/play/sign-out', async (request, reply) => {
    const member = await sessions.member(request)
    if (member !== null) keys.delete(member.id)
    return reply.header('Set-Cookie', sessions.cookie(null)).code(204).send()
  })

  async function memberOf(request: FastifyRequest): Promise<Member> {
    const member = await sessions.member(request)
    if (member === null) throw new IntegrationError('SESSION_REQUIRED')
    return member
  }

  async function organizationOf(request: FastifyRequest): Promise<string> {
    return (await memberOf(request)).organizationId
  }

  async function inboxOf(request: FastifyRequest): Promise<Inbox> {
    return receiver.inbox(await organizationOf(request))
  }

  /** The newest quotes of all members and partners, with their steps, without an API key. */
  app.get('/play/quotes', async (request) => {
    const organizationId = await organizationOf(request)
    const page = await integrations.quotations.list?.(organizationId, { limit: SHOWN_QUOTES })
    return Promise.all(
      (page?.items ?? []).map(async (quote) => {
        const { steps } = await integrations.quotations.pipelineStatus(organizationId, quote.id)
        return { ...quote, steps }
      }),
    )
  })

  app.post<{ Params: { id: string } }>('/play/quotes/:id/cancel', async (request, reply) => {
    const organizationId = await organizationOf(request)
    return reply.code(202).send(await integrations.quotations.cancel?.(organizationId, request.params.id))
  })

  /**
   * The proposal of a quote, for the session. Partners get a signed link over HTTPS instead, whose certificate a
   * browser would warn about here.
   */
  app.get<{ Params: { id: string } }>('/play/quotes/:id/document', async (request, reply) => {
    const organizationId = await organizationOf(request)
    const { document_id } = await integrations.quotations.proposal(organizationId, request.params.id)
    const content = document_id === null ? null : await findDocument(sql, document_id)
    if (content === null) throw new IntegrationError('DOCUMENT_NOT_READY')
    return reply
      .type('application/pdf')
      .header('Content-Disposition', 'inline; filename="proposal.pdf"')
      .header('Cache-Control', 'private, no-store')
      .send(content)
  })

  app.get('/play/inbox', async (request) => describe(await inboxOf(request)))

  app.patch<{ Body: { secret?: string; behaviour?: Behaviour } }>(
    '/play/inbox',
    {
      schema: {
        body: {
          type: 'object',
          properties: { secret: { type: 'string' }, behaviour: { enum: Object.keys(BEHAVIOURS) } },
        },
      },
    },
    async (request) => {
      const inbox = await inboxOf(request)
      const { secret, behaviour } = request.body
      if (secret !== undefined) inbox.trust(secret)
      if (behaviour !== undefined) inbox.behaviour = behaviour
      return describe(inbox)
    },
  )

  const streams = new Set<Readable>()
  // Before the server waits for its connections to end: these never would.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.push(null)
  })

  /** One line of JSON per webhook, as long as the connection is open. */
  app.get('/play/inbox/webhooks', async (request, reply) => {
    const inbox = await inboxOf(request)
    const stream = new Readable({ read() {} })
    const unlisten = inbox.listen((webhook: ReceivedWebhook) => stream.push(`${JSON.stringify(webhook)}\n`))
    streams.add(stream)
    reply.raw.once('close', () => {
      unlisten()
      streams.delete(stream)
      stream.destroy()
    })
    // Browsers wait for the first bytes.
    stream.push('\n')
    return reply.type('application/x-ndjson').header('Cache-Control', 'no-store').send(stream)
  })
}

function describe({ url, behaviour }: Inbox) {
  return { url, behaviour }
}
