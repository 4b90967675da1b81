import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to the database that can be cut. */
export interface LossyProxy {
  readonly url: string
  /** Ends all connections: `reset` like a crash, `close` like a shutdown. */
  cut(how: 'reset' | 'close'): void
  /** Silently drops everything sent on open connections. Later ones work. */
  swallow(): void
  /** Accepts and closes connections at once, like a load balancer without a backend. */
  refuse(refuses: boolean): void
  stop(): Promise<void>
}

/** Forwards to the database at `url`. */
export async function lossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url)
  const open = new Set<Socket>()
  const pairs = new Set<readonly [Socket, Socket]>()
  let refuses = false
  const server = createServer((client) => {
    if (refuses) {
      client.resume().end()
      return
    }
    const database = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    const pair = [client, database] as const
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
    client.pipe(database)
    database.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)

  function cut(how: 'reset' | 'close'): void {
    for (const socket of open) {
      if (how === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    }
  }

  return {
    url: through.href,
    cut,
    swallow() {
      for (const [client, database] of pairs) {
        client.unpipe(database).resume()
        database.unpipe(client).resume()
      }
    },
    refuse(now) {
      refuses = now
    },
    async stop() {
      cut('close')
      server.close()
      await once(server, 'close')
    },
  }
}
