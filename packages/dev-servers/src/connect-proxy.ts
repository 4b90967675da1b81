import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Certificate } from '@quickquote/test-kit'

export interface ConnectProxyOptions {
  /** If given, the proxy is an `https://` one. */
  readonly certificate?: Certificate
  /** The required credentials (`user:password`); otherwise it responds with 407. */
  readonly credentials?: string
  /** Overrides the response: a status, bytes that are not HTTP, or none at all. */
  readonly answer?: number | 'junk' | 'never'
  /** Resolves a name to an address, for a proxy that resolves. */
  readonly hosts?: Readonly<Record<string, string>>
}

/** An HTTP proxy for `CONNECT`, on 127.0.0.1. */
export interface ConnectProxy {
  readonly url: string
  /** The requested targets, oldest first: `127.0.0.1:443`. */
  readonly asked: readonly string[]
  /** Open connections to it. */
  open(): number
  stop(): Promise<void>
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { certificate, credentials, answer, hosts = {} } = options
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = certificate === undefined ? createServer() : createSecureServer(certificate)

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  function refuse(client: Socket, status: number): void {
    client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 4\r\nConnection: close\r\n\r\nNo.\n`)
  }

  server.on('connection', keep)
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    client.on('error', () => {})
    asked.push(url)
    if (answer === 'never') return void client.resume().on('end', () => client.end())
    if (answer === 'junk') return void client.end('220 mail.example ESMTP\r\n')
    if (typeof answer === 'number') return refuse(client, answer)
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
    if (headers['proxy-authorization'] !== expected) return refuse(client, 407)
    const { hostname, port } = new URL(`http://${url}`)
    const target = connect(Number(port), hosts[hostname] ?? hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    keep(target)
    target.on('error', () => refuse(client, 502))
    client.on('close', () => target.destroy())
    target.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const scheme = certificate === undefined ? 'http' : 'https'
  const userInfo = credentials === undefined ? '' : `${credentials}@`

  return {
    url: `${scheme}://${userInfo}127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
