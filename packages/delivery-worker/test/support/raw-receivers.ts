import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import { addressGuard } from '../../../core/src/lib/address-guard.ts'
import { createHttp, type Http, type HttpOptions } from '../../src/http/http.ts'
import { certificate } from './host.ts'

export const ORGANIZATION_ID = 'organization'

/** A TLS server with its own handling of connections. */
export async function tlsServer(
  talk: (socket: TLSSocket) => void,
  options: TlsOptions = {},
): Promise<string> {
  const server = createTlsServer({ ...certificate, ...options }, (socket) => {
    socket.on('error', () => undefined)
    talk(socket)
  })
  return `https://127.0.0.1:${await listen(server)}`
}

export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    sockets.add(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

export function http(options: Partial<HttpOptions> = {}): Http {
  const created = createHttp({
    guard: addressGuard({ allow: ['127.0.0.1/32'] }),
    timeoutMs: 30_000,
    maxResponseBytes: 16 * 1024,
    maxRawResponseBytes: 256 * 1024,
    socketsPerOrigin: 16,
    ca: certificate.cert,
    proxy: null,
    now: () => new Date(),
    ...options,
  })
  onTestFinished(() => created.close())
  return created
}

export async function post(client: Http, origin: string, path = '/hook?token=1') {
  const headers = { 'Content-Type': 'application/json' }
  return client.post({ turn: await client.turn(origin, ORGANIZATION_ID), path, headers, body: '{"a":"ü"}' })
}

export const answered = (statusCode: number, retryAfterMs: number | null = null) => ({
  kind: 'response',
  statusCode,
  retryAfterMs,
})
