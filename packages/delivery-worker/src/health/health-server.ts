import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WorkerHealth } from './health.ts'

/** Where a worker answers `GET /health/live` and `GET /health/ready`. */
export interface HealthAddress {
  /** The port; 0 takes a free one. */
  readonly port: number
  /** The address that the port is opened on. Default every address of the machine. */
  readonly host?: string
}

export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * `/health/live` is 200 while the process answers at all. `/health/ready` is 200 while the worker is ready, else 503; both
 * say how the worker is. Rejects when the port is taken.
 */
export async function openHealthServer(
  { port, host }: HealthAddress,
  health: () => WorkerHealth,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    const isKnown = path === '/health/live' || path === '/health/ready'
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
      response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
    }
    if (!isKnown) return answer(404, { paths: ['/health/live', '/health/ready'] })
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return answer(405, { methods: ['GET', 'HEAD'] })
    }
    const now = health()
    answer(path === '/health/live' || now.ready ? 200 : 503, now)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
