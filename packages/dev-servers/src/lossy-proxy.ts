import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the database that can be cut. */
export interface LossyProxy {
  readonly url: string
  /** Ends all connections: `reset` as a crash does, `close` as a shutdown does. */
  cut(how: 'reset' | 'close'): void
  /** From now on nothing that is sent on the open connections arrives, and nobody is told. Later ones work. */
  swallow(): void
  /** Whether connections are accepted and closed at once, as a load balancer without a backend does. */
  refuse(refuses: boolean): void
  stop(): Promise<void>
}

/** Passes everything on to the database at `url`. */
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
