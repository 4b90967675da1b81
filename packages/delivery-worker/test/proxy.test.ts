import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import type { EgressOptions } from '@quickquote/core'
import {
  type ConnectProxy,
  type ConnectProxyOptions,
  createCertificate,
  startConnectProxy,
} from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deliverDue } from '../src/index.ts'
import {
  certificate,
  type Host,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './support/host.ts'

const CREDENTIALS = 'quotes:open-sesame'
const HERE = async () => ['127.0.0.1']

async function proxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const started = await startConnectProxy(options)
  onTestFinished(() => started.stop())
  return started
}

function hostBehind(egress: EgressOptions, options: HostOptions = {}): Promise<Host> {
  return openHost({ egress: { ca: certificate.cert, ...egress }, ...options })
}

/** The only attempt to deliver an event to this URL. */
async function attempt(host: Host, url: string) {
  await host.createEndpoint(url)
  await host.finishStep()
  const [made] = await deliverDue({ integrations: host.integrations })
  return made
}

describe('with egress.proxy', () => {
  it('a webhook goes through the proxy to its receiver, with end-to-end TLS', async () => {
    const way = await proxy()
    const partner = await openReceiver()
    const host = await hostBehind({ proxy: way.url })

    expect(await attempt(host, `${partner.url}/hook?a=1`)).toMatchObject({ status: 'succeeded' })

    expect(way.asked).toEqual([new URL(partner.url).host])
    expect(partner.requests[0]).toMatchObject({
      path: '/hook?a=1',
      headers: { host: new URL(partner.url).host },
    })
    expect(partner.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  it("a worker's test of an endpoint goes through it", async () => {
    const way = await proxy()
    const partner = await openReceiver()
    const host = await hostBehind({ proxy: way.url })
    const { id } = await host.createEndpoint(partner.url)
    await host.createWorker().start()
    const member = adminOf(ORGANIZATION)

    expect(await host.integrations.testDeliveries.send(member, id, { event_type: STEP_EVENT })).toMatchObject(
      { success: true },
    )
    expect(way.asked).toEqual([new URL(partner.url).host])
  })

  it('the proxy is asked for the checked address, and the receiver sees the name', async () => {
    const way = await proxy()
    const seen: unknown[] = []
    const server = createServer(certificate, ({ socket, headers }, response) => {
      seen.push([(socket as TLSSocket).servername, headers.host])
      response.writeHead(204).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const host = await hostBehind({ proxy: way.url, resolve: HERE }, { allowAddresses: ['127.0.0.1/32'] })
    const { id } = await host.createEndpoint('https://partner.example/')
    // The certificate is for this name, which an endpoint cannot have.
    await host.sql`update quickquote.webhook_endpoints set url = ${`https://localhost:${port}/`} where id = ${id}`
    await host.finishStep()

    expect(await deliverDue({ integrations: host.integrations })).toMatchObject([{ status: 'succeeded' }])
    expect(way.asked).toEqual([`127.0.0.1:${port}`])
    expect(seen).toEqual([['localhost', `localhost:${port}`]])
  })

  it("the receiver's certificate is verified for the name", async () => {
    const way = await proxy()
    const partner = await openReceiver()
    const host = await hostBehind({ proxy: way.url, resolve: HERE })

    expect(await attempt(host, `https://partner.example:${new URL(partner.url).port}/`)).toMatchObject({
      error_code: 'certificate',
      error: 'certificate: it is for another host name',
    })
    expect(partner.requests).toEqual([])
  })

  it('a name that resolves to a private address is refused here, without asking the proxy', async () => {
    const way = await proxy({ hosts: { 'partner.example': '127.0.0.1' } })
    const host = await hostBehind({ proxy: way.url, resolve: async () => ['10.0.0.1', '169.254.169.254'] })

    expect(await attempt(host, 'https://partner.example/')).toMatchObject({
      status: 'rejected',
      error_code: 'address_blocked',
      error: 'address 10.0.0.1 is private (10.0.0.0/8)',
    })
    expect(way.asked).toEqual([])
  })

  it('another allowed address of the name is tried if the proxy cannot reach the first', async () => {
    const way = await proxy()
    const partner = await openReceiver()
    const host = await hostBehind(
      { proxy: way.url, resolve: async () => ['127.0.0.2', '127.0.0.1'] },
      { allowAddresses: ['127.0.0.0/8'] },
    )
    const { id } = await host.createEndpoint('https://partner.example/')
    const { port } = new URL(partner.url)
    await host.sql`update quickquote.webhook_endpoints set url = ${`https://localhost:${port}/`} where id = ${id}`
    await host.finishStep()

    expect(await deliverDue({ integrations: host.integrations })).toMatchObject([{ status: 'succeeded' }])
    expect(way.asked).toEqual([`127.0.0.2:${port}`, `127.0.0.1:${port}`])
  })

  it('an https:// proxy is verified, and works', async () => {
    const partner = await openReceiver()
    const trusted = await proxy({ certificate, credentials: CREDENTIALS })
    expect(await attempt(await hostBehind({ proxy: trusted.url }), partner.url)).toMatchObject({
      status: 'succeeded',
    })

    const untrusted = await proxy({ certificate: await createCertificate(), credentials: CREDENTIALS })
    expect(await attempt(await hostBehind({ proxy: untrusted.url }), partner.url)).toMatchObject({
      error_code: 'proxy_unreachable',
      error: expect.stringContaining('(certificate: '),
    })
    expect(untrusted.asked).toEqual([])
  })
})

describe('with egress.proxyResolves', () => {
  it('the proxy gets the name', async () => {
    const way = await proxy({ hosts: { 'partner.example': '127.0.0.1' } })
    const partner = await openReceiver()
    const host = await hostBehind({
      proxy: way.url,
      proxyResolves: true,
      resolve: () => Promise.reject(new Error('nobody asks')),
    })
    const { port } = new URL(partner.url)

    expect(await attempt(host, `https://partner.example:${port}/`)).toMatchObject({
      error_code: 'certificate',
    })
    expect(way.asked).toEqual([`partner.example:${port}`])
  })

  it('an address in the URL is still checked here', async () => {
    const way = await proxy()
    const host = await hostBehind({ proxy: way.url, proxyResolves: true })
    const { id } = await host.createEndpoint('https://partner.example/')
    await host.sql`update quickquote.webhook_endpoints set url = 'https://10.0.0.1/' where id = ${id}`
    await host.finishStep()

    expect(await deliverDue({ integrations: host.integrations })).toMatchObject([{ status: 'rejected' }])
    expect(way.asked).toEqual([])
  })
})

describe('errors of the proxy', () => {
  const FAILURES: readonly [string, ConnectProxyOptions | null, string, RegExp][] = [
    [
      'that is down',
      null,
      'proxy_unreachable',
      /^the outgoing proxy cannot be reached \(connection refused\): .*`egress\.proxy`/,
    ],
    [
      'that requires other credentials',
      { credentials: 'quotes:changed' },
      'proxy_credentials',
      /^the outgoing proxy refused the credentials of this service \(407\): .*`egress\.proxy`/,
    ],
    [
      'that forbids the connection',
      { answer: 403 },
      'proxy_refused',
      /^the outgoing proxy refused to connect to the receiver \(403\): .*allow `CONNECT`/,
    ],
    [
      'that cannot reach the receiver',
      { answer: 502 },
      'proxy_failed',
      /^the outgoing proxy could not reach the receiver \(502\): check/,
    ],
    [
      'that never responds',
      { answer: 'never' },
      'proxy_timeout',
      /^the outgoing proxy opened no connection within 3000 ms: check/,
    ],
    [
      'that is not an HTTP proxy',
      { answer: 'junk' },
      'proxy_not_http',
      /^the response of the outgoing proxy is not HTTP: /,
    ],
  ]

  it.each(FAILURES)(
    '%s: the message says that it is the proxy, and what to do',
    async (_, options, code, sentence) => {
      const partner = await openReceiver()
      const way = options && (await proxy(options))
      const url = new URL(way?.url ?? 'http://127.0.0.1:1')
      ;[url.username = '', url.password = ''] = CREDENTIALS.split(':')
      // Half of it is for the way to the receiver.
      const timeoutMs = code === 'proxy_timeout' ? 6000 : 20_000
      const host = await hostBehind({ proxy: url.href }, { delivery: { timeoutMs } })

      const made = await attempt(host, partner.url)

      expect(made).toMatchObject({ status: 'failed', http_status: null, error_code: code })
      expect(made?.error).toMatch(sentence)
      expect(partner.requests).toEqual([])
      const told = inspect([host.logs, await host.attempts(), host.integrations.settings], { depth: 20 })
      expect(told).toContain(made?.error)
      expect(told).not.toContain('open-sesame')
      expect(told).not.toContain(Buffer.from(CREDENTIALS).toString('base64'))
    },
  )

  it('a hanging proxy does not delay a stop, and no connection stays open', async () => {
    const way = await proxy({ answer: 'never' })
    const host = await hostBehind({ proxy: way.url }, { delivery: { timeoutMs: 600_000 } })
    const worker = host.createWorker()
    await host.createEndpoint('https://127.0.0.1:1/')
    await worker.start()
    await host.finishStep()
    await expect.poll(() => way.asked.length, { timeout: 30_000 }).toBe(1)

    await worker.stop({ deadlineMs: 0 })

    await expect.poll(() => way.open(), { timeout: 30_000 }).toBe(0)
  })
})
