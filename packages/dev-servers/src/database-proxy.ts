import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Between clients and a database, for tests that count, change or lose what passes. */
export interface DatabaseProxy {
  /** The connection string through the proxy. */
  readonly url: string
  /** Both ends of all open connections. */
  readonly sockets: ReadonlySet<Socket>
  /** Also ends all connections. */
  stop(): Promise<void>
}

/**
 * Connects each client to the database at `url`, without TLS. If one end closes, so does the other.
 *
 * @param join forwards what the two ends of a connection send
 * @param port to listen on. Default: any
 */
export async function startDatabaseProxy(
  url: string,
  join: (client: Socket, database: Socket) => void,
  port = 0,
): Promise<DatabaseProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket.setNoDelay())
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    join(client, database)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    sockets,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
