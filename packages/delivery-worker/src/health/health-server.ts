import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationError } from '@quickquote/core'
import type { HealthAddress } from '../options.ts'

export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

type Page = () => Promise<{ status: number; type: string; text: string }>

const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * `/health/live` is 200 while the process responds. `/health/ready` is 200 while the worker is ready, else 503. Both
 * report the worker's health. `/metrics` exists if `readMetrics` is given. Rejects if the port is in use.
 */
export async function openHealthServer(
  { port, host }: HealthAddress,
  health: () => { readonly ready: boolean },
  readMetrics?: () => Promise<string>,
): Promise<HealthServer> {
  const healthPage =
    (statusOf: (now: { readonly ready: boolean }) => number): Page =>
    async () => {
      const now = health()
      return { status: statusOf(now), type: 'application/json', text: JSON.stringify(now) }
    }
  const pages = new Map<string, Page>([
    ['/health/live', healthPage(() => 200)],
    ['/health/ready', healthPage(({ ready }) => (ready ? 200 : 503))],
  ])
  if (readMetrics !== undefined) {
    pages.set('/metrics', async () => ({ status: 200, type: TEXT_FORMAT, text: await readMetrics() }))
  }

  const server = createServer(async (request, response) => {
    const page = pages.get(request.url?.split('?', 1)[0] ?? '')
    if (page === undefined) return answerJson(response, 404, { paths: [...pages.keys()] })
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return answerJson(response, 405, { methods: ['GET', 'HEAD'] })
    }
    const { status, type, text } = await page()
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : text)
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new ConfigurationError(
      `createDeliveryWorker: health.port ${port} is already in use, perhaps by another worker on this machine: choose another one, or 0 for a free one.`,
    )
  })
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

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify(body))
}
