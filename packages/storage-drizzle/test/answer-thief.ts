import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of PostgreSQL that loses a response, and its connection. */
export interface AnswerThief {
  /** The connection string through the proxy. */
  readonly url: string
  /** Forwards the next message that contains this text, and drops the response to it. */
  stealAnswerTo(text: string): void
  stop(): Promise<void>
}

export async function startAnswerThief(postgresUrl: string): Promise<AnswerThief> {
  const target = new URL(postgresUrl)
  const sockets = new Set<Socket>()
  let wanted: string | undefined

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let isStolen = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined
        isStolen = true
      }
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (isStolen) near.destroy()
      else near.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(postgresUrl)
  url.port = String((server.address() as AddressInfo).port)

  return {
    url: url.href,
    stealAnswerTo(text) {
      wanted = text
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
