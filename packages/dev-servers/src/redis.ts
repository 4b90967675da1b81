import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { isInstalled, startServer } from './server-process.ts'

/** Whether redis-server is installed. */
export const hasRedis = isInstalled('redis-server')

export interface RedisServer {
  readonly port: number
  /** Stops responding, with open connections. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** A real redis-server on a free port of the loopback address. */
export async function startRedis(): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'quickquote-redis-'))
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory]
  const server = await startServer('redis-server', args, { port })
  return {
    port,
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async stop() {
      await server.stop('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
