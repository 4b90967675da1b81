// An HTTPS server that records arrivals and can hang.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Certificate } from '@quickquote/dev-servers'
import { serveParent } from '@quickquote/dev-servers/child'
import { monotonicMs } from '../usage.ts'

/** The ID of an event, and its arrival on the clock of `monotonicMs`. */
export type Arrival = readonly [eventId: string, atMs: number]

/** Requests to this path are never answered. */
export const HUNG_PATH = '/hung'
/** Only the first request of each event to this path is never answered. */
export const HUNG_AT_FIRST_PATH = '/hung-at-first'

const nodeReceiver = { listen, takeArrivals }
export type NodeReceiver = typeof nodeReceiver
serveParent(nodeReceiver)

let arrivals: Arrival[] = []
const seen = new Set<string>()

async function listen(options: {
  certificate: Certificate
  /** For `takeArrivals`. */
  keepsArrivals: boolean
}): Promise<string> {
  const { certificate, keepsArrivals } = options
  const server = createServer({ ...certificate, keepAliveTimeout: 600_000 }, (request, response) => {
    const at = monotonicMs()
    const id = String(request.headers['x-service-event-id']).replace('evt_', '')
    request.resume().on('end', () => {
      if (keepsArrivals) arrivals.push([id, at])
      if (request.url === HUNG_PATH) return
      if (request.url === HUNG_AT_FIRST_PATH && !seen.has(id)) {
        seen.add(id)
        return
      }
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** The arrivals since the last call. */
async function takeArrivals(): Promise<Arrival[]> {
  const taken = arrivals
  arrivals = []
  return taken
}
