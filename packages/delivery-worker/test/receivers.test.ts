import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { adminOf } from '@quickquote/dev-servers/host'
import type { ReceiverOptions, WebhookPayload } from '@quickquote/webhook-signature'
import { expressWebhooks } from '@quickquote/webhook-signature/express'
import { fastifyWebhooks } from '@quickquote/webhook-signature/fastify'
import { fetchWebhooks } from '@quickquote/webhook-signature/fetch'
import express from 'express'
import Fastify from 'fastify'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { certificate, type Host, NO_WAITING, ORGANIZATION, openHost, STEP_EVENT } from './support/host.ts'

const PATH = '/hooks/quotes'
const ADMIN = adminOf(ORGANIZATION)

/** A partner's server at the address of the endpoint. */
const PARTNERS: readonly { name: string; build: (options: ReceiverOptions) => Promise<RequestListener> }[] = [
  {
    name: 'Fastify',
    async build(options) {
      const app = Fastify()
      await app.register(fastifyWebhooks, { ...options, path: PATH })
      await app.ready()
      return app.routing
    },
  },
  {
    name: 'Express',
    async build(options) {
      const app = express()
      // Otherwise Express prints errors of the receiver.
      app.set('env', 'test')
      return app.use(PATH, expressWebhooks(options)).use(express.json())
    },
  },
  {
    name: 'fetch',
    async build(options) {
      const handle = fetchWebhooks({ ...options, onError: () => undefined })
      return async (request, response) => {
        const { status, body } = await handle(
          new Request(`https://partner.example${request.url}`, {
            method: request.method ?? '',
            headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
              name,
              `${value}`,
            ]),
            body: Readable.toWeb(request) as ReadableStream,
            duplex: 'half',
          }),
        )
        response
          .writeHead(status)
          .end(body === null ? undefined : Buffer.from(await new Response(body).arrayBuffer()))
      }
    },
  },
]

let host: Host

beforeEach(async () => {
  host = await openHost({ productName: 'Acme', delivery: NO_WAITING })
})
/** An HTTPS address. Its handler is set later, because the signing secret is only known once the endpoint exists. */
async function openAddress(): Promise<{ url: string; serve(listener: RequestListener): void }> {
  const server = createServer(certificate).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    serve: (listener) => void server.on('request', listener),
  }
}

function attemptsToBe(...expected: object[]): Promise<void> {
  return expect.poll(() => host.attempts()).toMatchObject(expected)
}

describe.each(PARTNERS)('a partner with $name, called by a delivery worker', ({ build }) => {
  async function connect(options: Partial<ReceiverOptions>): Promise<{ endpointId: string }> {
    const { url, serve } = await openAddress()
    const { id, secret } = await host.createEndpoint(url)
    serve(await build({ headerPrefix: 'Acme', secrets: secret, onEvent: () => undefined, ...options }))
    await host.createWorker({ ca: certificate.cert }).start()
    return { endpointId: id }
  }

  it('gets the event, and gets it again after a failure', async () => {
    const events: WebhookPayload[] = []
    await connect({
      onEvent: (event) => {
        events.push(event)
        if (events.length === 1) throw new Error('not yet')
      },
    })
    const quotationId = await host.finishStep()

    await attemptsToBe({ status: 'failed', http_status: 500 }, { status: 'succeeded', http_status: 204 })
    expect(events).toHaveLength(2)
    expect(events[1]).toEqual(events[0])
    expect(events[0]).toMatchObject({
      type: STEP_EVENT,
      data: { quotation_id: quotationId, step: 'requirement_analysis' },
    })
  })

  it('still gets events during the overlap of a secret rotation', async () => {
    const { endpointId } = await connect({})
    await host.integrations.webhookEndpoints.rotateSecret(ADMIN, endpointId, { overlap_seconds: 60 })
    await host.finishStep()
    await attemptsToBe({ status: 'succeeded', http_status: 204 })
  })

  it('ends an event that it does not want', async () => {
    await connect({ onEvent: () => 'gone' })
    await host.finishStep()
    await attemptsToBe({ status: 'rejected', http_status: 410 })
    expect(await host.pending()).toEqual([])
  })

  it('shows in the delivery log why it refused', async () => {
    const { endpointId } = await connect({ secrets: 'whsec_of_another_endpoint' })
    await host.integrations.testDeliveries.send(ADMIN, endpointId, { event_type: STEP_EVENT })
    const [attempt] = await host.sql`select http_status, response_body from quickquote.delivery_attempts`
    expect(attempt).toEqual({ http_status: 401, response_body: 'SIGNATURE_MISMATCH' })
  })
})
