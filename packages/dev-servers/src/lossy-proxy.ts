import type { Socket } from 'node:net'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'

/** A connection to the database that can be cut. */
export interface LossyProxy extends Pick<DatabaseProxy, 'url' | 'stop'> {
  /** Ends all connections: `reset` like a crash, `close` like a shutdown. */
  cut(how: 'reset' | 'close'): void
  /** Silently drops everything sent on open connections. Later ones work. */
  swallow(): void
  /** Accepts and closes connections at once, like a load balancer without a backend. */
  refuse(refuses: boolean): void
}

/** Forwards to the database at `url`. */
export async function lossyProxy(url: string): Promise<LossyProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let refuses = false
  const { sockets, ...proxy } = await startDatabaseProxy(url, (client, database) => {
    if (refuses) {
      client.resume().end()
      return
    }
    const pair = [client, database] as const
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
    client.pipe(database)
    database.pipe(client)
  })
  return {
    ...proxy,
    cut(how) {
      for (const socket of sockets) {
        if (how === 'reset') socket.resetAndDestroy()
        else socket.destroy()
      }
    },
    swallow() {
      for (const [client, database] of pairs) {
        client.unpipe(database).resume()
        database.unpipe(client).resume()
      }
    },
    refuse(now) {
      refuses = now
    },
  }
}
