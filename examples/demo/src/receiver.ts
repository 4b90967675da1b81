import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { verify, type WebhookPayload, WebhookVerificationError } from '@quickquote/webhook-signature'

/** What a receiver may be told to do: take webhooks, break down, be gone for good, be busy, or never answer. */
export const BEHAVIOURS = { ok: 204, broken: 500, gone: 410, busy: 429, silent: null } as const
export type Behaviour = keyof typeof BEHAVIOURS

const RETRY_AFTER_SECONDS = 5

/** A request that came in, and what was made of it. */
export interface ReceivedWebhook {
  readonly received_at: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Null when the signature did not verify; `refusal` says why. */
  readonly event: WebhookPayload | null
  readonly refusal: string | null
  /** The event had come before: deliveries are at-least-once. */
  readonly repeated: boolean
  /** What was answered; null for nothing. */
  readonly status: number | null
}

/** One address for webhooks, with a signing secret of its own. */
export interface Inbox {
  readonly url: string
  /** What it does with the webhooks that verify. */
  behaviour: Behaviour
  /** Sets the signing secret, as it was shown when the endpoint was created. */
  trust(secret: string): void
  /** Hears of all that comes from now on, until the returned function is called. */
  listen(onReceived: (webhook: ReceivedWebhook) => void): () => void
}

export interface Receiver {
  /** The inbox of that name: letters, digits and dashes. The same one each time. */
  inbox(name: string): Inbox
  stop(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024

/** The raw bytes: the signature is over these, and JSON that was parsed and printed again would not match it. */
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
 * The HTTPS receiver of a partner: it verifies each webhook over the raw bytes, sorts out repetitions, and answers
 * quickly. What takes longer would go into a queue of its own.
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
  // A real partner keeps them in its database, with a unique index.
  const seen = new Set<string>()
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
      // What was answered with a failure was not processed: it comes again.
      if (id !== undefined && status === BEHAVIOURS.ok) seen.add(id)
      for (const listener of listeners) listener(webhook)
      return webhook
    },
  }
  return inbox
}
