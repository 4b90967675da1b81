// The receivers, each an HTTPS server, with one list of all requests.
import { once } from 'node:events'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '@quickquote/dev-servers/child'
import { TEMPERS } from './temper.js'

serveParent({ listen, take })
const seen = []
let taken = 0
/** Returns their URLs. Each has its own port, so that a hanging one uses up no other's connections. */
async function listen(certificate) {
  return Promise.all(Object.entries(TEMPERS).map((receiver) => listenAs(receiver, certificate)))
}
async function listenAs([receiver, temper], certificate) {
  /** The TCP sockets below TLS, by the peer's port: only they can be reset. */
  const sockets = new Map()
  const server = createServer({ ...certificate, keepAliveTimeout: 600_000 }, async (request, response) => {
    const eventId = String(request.headers['x-service-event-id'])
    const timestamp = Number(request.headers['x-service-timestamp'])
    const { answer, delayMs = 0 } = temper(eventId)
    // Listed before the body arrives: the worker may be killed while sending it.
    const n = taken + seen.push({ receiver, eventId, timestamp, answer }) - 1
    request.resume()
    if (delayMs > 0) await sleep(delayMs)
    give(answer, { n, response, socket: sockets.get(request.socket.remotePort ?? 0) })
  })
  server.on('connection', (socket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(port))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/${receiver}`
}
/** The body is the request's number, so that the attempt that records it can be matched. */
function give(answer, { n, response, socket }) {
  if (answer === 'hang') return
  if (answer === 'reset') {
    socket?.resetAndDestroy()
    return
  }
  response.writeHead(answer, answer === 429 ? { 'Retry-After': '1' } : {}).end(String(n))
}
/** The requests since the last call, at most `most`. */
async function take(most) {
  const part = seen.splice(0, most)
  taken += part.length
  return part
}
