import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Turns of the event loop without news, after which all that had arrived is read: one accepts a connection, the next
 * reads it.
 */
const QUIET_TURNS = 3
/** Somebody may go on sending. */
const LONGEST_MS = 1000
/** For a connection that is accepted later, while the host's own hooks run. */
const GRACE_MS = 250

/**
 * When Fastify begins to close, reads what arrived while the process was busy, because Fastify answers a request only once it
 * has been read, and then ends the connections on which nothing was ever sent, such as those that browsers open in advance.
 * Node counts them as busy: closing, and with it the worker's stop, would wait until their clients end them.
 */
export function endSilentConnections(fastify: FastifyInstance): void {
  // Its sessions are closed by Fastify.
  if (fastify.initialConfig.http2) return
  const sockets = new Set<Socket>()
  let accepted = 0
  let isClosing = false
  const endIfSilent = (socket: Socket) => {
    if (socket.bytesRead === 0) socket.destroy()
  }
  const note = (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (isClosing) setTimeout(endIfSilent, GRACE_MS, socket).unref()
  }
  // A TLS socket counts the bytes inside it, the TCP socket below it those of the handshake, too.
  for (const event of ['connection', 'secureConnection']) fastify.server.on(event, note)
  fastify.addHook('preClose', async () => {
    await quiet(() => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, accepted))
    isClosing = true
    for (const socket of sockets) endIfSilent(socket)
  })
}

/** Resolves once a count stays the same. */
async function quiet(count: () => number): Promise<void> {
  const end = performance.now() + LONGEST_MS
  for (let known = -1, turns = 0; turns < QUIET_TURNS && performance.now() < end; turns += 1) {
    const now = count()
    if (now !== known) turns = 0
    known = now
    await nextTurn()
  }
}
