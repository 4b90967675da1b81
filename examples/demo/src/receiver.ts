import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { verify, type WebhookPayload, WebhookVerificationError } from '@quickquote/webhook-signature'

/** The receiver's possible behaviors: accept, fail, be gone permanently, be busy, or never respond. */
export const BEHAVIOURS = { ok: 204, broken: 500, gone: 410, busy: 429, silent: null } as const
export type Behaviour = keyof typeof BEHAVIOURS

const RETRY_AFTER_SECONDS = 5
/** Webhooks that an inbox keeps. */
const MOST_KEPT = 40

/** A received request, and its result. */
export interface ReceivedWebhook {
  readonly received_at: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Null if the signature did not verify; `refusal` says why. */
  readonly event: WebhookPayload | null
  readonly refusal: string | null
  /** A repeated event: delivery is at-least-once. */
  readonly repeated: boolean
  /** The status of the response; null for none. */
  readonly status: number | null
}

/** An address for webhooks, with its own signing secret. */
export interface Inbox {
  readonly url: string
  /** The response to verified webhooks. */
  behaviour: Behaviour
  /** Sets the signing secret, as shown when the endpoint was created. */
  trust(secret: string): void
  /** Calls back for each of the last webhooks and then for new ones, until the returned function is called. */
  listen(onReceived: (webhook: ReceivedWebhook) => void): () => void
}

export interface Receiver {
  /** The inbox of that name: letters, digits and dashes. Always the same one. */
  inbox(name: string): Inbox
  stop(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024

/** The raw bytes, because the signature covers them: parsed and printed JSON would not match. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('The body is larger than any webhook.')
  }
  return Buffer.concat(chunks)
}

/**
 * A partner's HTTPS receiver: verifies each webhook over the raw bytes, ignores repetitions, and responds quickly.
 * Longer work belongs in a queue.
 */
export async function startReceiver(certificate: { cert: string; key: string }): Promise<Receiver> {
  const inboxes = new Map<string, ReturnType<typeof createInbox>>()

  const server = createServer(certificate, async (request, response) => {
    const inbox = inboxes.get(request.url ?? '')
    if (request.method !== 'POST' || inbox === undefined) {
      response.writeHead(404).end()
      return
    }
    try {
      const { status } = await inbox.receive(request)
      if (status === null) return
      response.writeHead(status, status === 429 ? { 'Retry-After': RETRY_AFTER_SECONDS } : {}).end()
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    inbox(name) {
      const path = `/webhooks/${name}`
      const inbox = inboxes.get(path) ?? createInbox(`https://127.0.0.1:${port}${path}`)
      inboxes.set(path, inbox)
      return inbox
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function createInbox(url: string) {
  let secret: string | undefined
  // A real partner stores them in its database, with a unique index.
  const seen = new Set<string>()
  const recent: ReceivedWebhook[] = []
  const listeners = new Set<(webhook: ReceivedWebhook) => void>()

  async function check(
    request: IncomingMessage,
    body: Buffer,
  ): Promise<Pick<ReceivedWebhook, 'event' | 'refusal'>> {
    if (secret === undefined) return { event: null, refusal: 'NO_SECRET_YET' }
    try {
      return { event: await verify({ body, headers: request.headers, secrets: secret }), refusal: null }
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return { event: null, refusal: error.code }
    }
  }

  const inbox = {
    url,
    behaviour: 'ok' as Behaviour,
    trust(given: string) {
      secret = given
    },
    listen(onReceived: (webhook: ReceivedWebhook) => void) {
      for (const webhook of recent) onReceived(webhook)
      listeners.add(onReceived)
      return () => void listeners.delete(onReceived)
    },
    async receive(request: IncomingMessage): Promise<ReceivedWebhook> {
      const body = await readBody(request)
      const checked = await check(request, body)
      const id = checked.event?.id
      const status = checked.event === null ? 401 : BEHAVIOURS[inbox.behaviour]
      const webhook = {
        ...checked,
        received_at: new Date().toISOString(),
        headers: request.headers,
        body: body.toString(),
        repeated: id !== undefined && seen.has(id),
        status,
      }
      // A webhook that got an error was not processed: it is sent again.
      if (id !== undefined && status === BEHAVIOURS.ok) seen.add(id)
      if (recent.push(webhook) > MOST_KEPT) recent.shift()
      for (const listener of listeners) listener(webhook)
      return webhook
    },
  }
  return inbox
}
