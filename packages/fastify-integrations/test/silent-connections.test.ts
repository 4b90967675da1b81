import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createCertificate } from '@quickquote/dev-servers'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { fastifyIntegrations } from '../src/index.ts'
import { useHost } from './support/host.ts'

const context = useHost()
const { key, cert } = await createCertificate()

async function listen(app: FastifyInstance): Promise<number> {
  app.get('/slow', async () => {
    await sleep(200)
    return 'answered'
  })
  await app.register(fastifyIntegrations, {
    integrations: context.host.integrations,
    resolveSession: () => null,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

const HOSTS = [
  {
    scheme: 'http',
    open: () => Fastify() as FastifyInstance,
    connection: async (port: number) => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
  },
  {
    scheme: 'https',
    open: () => Fastify({ https: { key, cert } }) as unknown as FastifyInstance,
    connection: async (port: number) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: cert })
      await once(socket, 'secureConnect')
      return socket
    },
  },
]

describe.each(HOSTS)('app.close(), over $scheme', ({ open, connection }) => {
  it('ends connections on which nothing was ever sent, and answers requests in progress', async () => {
    const app = open()
    const port = await listen(app)
    const requested = once(app.server, 'request')
    const [silent, busy] = [await connection(port), await connection(port)]
    const ended = once(silent, 'close')
    let answer = ''
    busy.on('data', (chunk) => (answer += chunk))
    const answered = once(busy, 'close')
    busy.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await requested
    await app.close()
    await ended
    await answered
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/answered$/)
  })

  it('waits for none whose handshake has not begun', async () => {
    const app = open()
    const port = await listen(app)
    const tcp = connect(port, '127.0.0.1')
    const accepted = once(app.server, 'connection')
    const ended = once(tcp, 'close')
    await accepted
    await app.close()
    await ended
  })
})
