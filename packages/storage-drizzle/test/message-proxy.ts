import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens instead of a message of the server. `half`: a part of it, and a reset. */
export type Fault = 'reset' | 'close' | 'half' | 'silence'

/** A proxy in front of PostgreSQL that knows where a message of the server ends. */
export interface MessageProxy {
  /** The connection string through the proxy. */
  readonly url: string
  /** The number of messages from the server since the last `fail` or `rewrite`. */
  readonly count: number
  /** Forwards `after` more messages, then fails, once. */
  fail(fault: Fault, after: number): void
  /** Changes the text of the next message that contains it. */
  rewrite(from: string, to: string): void
  stop(): Promise<void>
}

export async function startMessageProxy(postgresUrl: string): Promise<MessageProxy> {
  const target = new URL(postgresUrl)
  const sockets = new Set<Socket>()
  let count = 0
  let armed: { fault: Fault; after: number } | undefined
  let replaced: { from: string; to: string } | undefined

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let isOver = false
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay())
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => far.write(chunk))

    function forward(message: Buffer): void {
      if (isOver) return
      if (armed === undefined || armed.after > 0) {
        if (armed !== undefined) armed.after -= 1
        count += 1
        near.write(rewritten(message))
        return
      }
      const { fault } = armed
      armed = undefined
      isOver = true
      if (fault === 'close') near.end()
      if (fault === 'reset') near.resetAndDestroy()
      if (fault === 'half') near.write(message.subarray(0, message.length >> 1), () => near.resetAndDestroy())
    }

    let rest: Buffer = Buffer.alloc(0)
    far.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length > 4 && rest.length > rest.readUInt32BE(1)) {
        const length = rest.readUInt32BE(1) + 1
        forward(rest.subarray(0, length))
        rest = rest.subarray(length)
      }
    })
  })

  function rewritten(message: Buffer): Buffer {
    if (replaced === undefined || !message.includes(replaced.from)) return message
    const text = message.subarray(5).toString('latin1').replace(replaced.from, replaced.to)
    replaced = undefined
    const changed = Buffer.alloc(5 + text.length)
    changed[0] = message[0] ?? 0
    changed.writeUInt32BE(4 + text.length, 1)
    changed.write(text, 5, 'latin1')
    return changed
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(postgresUrl)
  url.port = String((server.address() as AddressInfo).port)

  return {
    url: url.href,
    get count() {
      return count
    },
    fail(fault, after) {
      count = 0
      armed = { fault, after }
    },
    rewrite(from, to) {
      count = 0
      replaced = { from, to }
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
