import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * When Fastify begins to close, ends the connections on which nothing was ever sent, such as those that browsers open in
 * advance. Node counts them as busy: closing, and with it the worker's stop, would wait until their clients end them.
 */
export function endSilentConnections(fastify: FastifyInstance): void {
  // Its sessions are closed by Fastify.
  if (fastify.initialConfig.http2) return
  const sockets = new Set<Socket>()
  let isClosing = false
  const note = (socket: Socket) => {
    if (isClosing) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  // A TLS socket counts the bytes inside it, the TCP socket below it those of the handshake, too.
  for (const event of ['connection', 'secureConnection']) fastify.server.on(event, note)
  fastify.addHook('preClose', async () => {
    // What has arrived is read first.
    await nextTurn()
    isClosing = true
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}
