import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { verify, type WebhookPayload, WebhookVerificationError } from '@quickquote/webhook-signature'

export interface Receiver {
  readonly url: string
  /** Sets the signing secret, as it was shown when the endpoint was created. */
  trust(secret: string): void
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
 * @param options.onWebhook called for each verified webhook; deliveries are at-least-once, so some may be repeated
 * @param options.onRefused called for a request whose signature does not verify
 */
export async function startReceiver(options: {
  certificate: { cert: string; key: string }
  onWebhook: (event: WebhookPayload, delivery: { repeated: boolean }) => void
  onRefused: (code: string) => void
}): Promise<Receiver> {
  let secret: string | undefined
  // A real partner keeps them in its database, with a unique index.
  const seen = new Set<string>()

  async function answer(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== '/webhooks') return 404
    const body = await readBody(request)
    if (secret === undefined) return 503
    try {
      const event = await verify({ body, headers: request.headers, secrets: secret })
      const repeated = seen.has(event.id)
      seen.add(event.id)
      options.onWebhook(event, { repeated })
      return 204
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      options.onRefused(error.code)
      return 401
    }
  }

  const server = createServer(options.certificate, (request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `https://127.0.0.1:${port}/webhooks`,
    trust(given) {
      secret = given
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
