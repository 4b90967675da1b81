import { type DatabaseProxy, startDatabaseProxy } from '@quickquote/dev-servers'

/** What happens instead of a message of the server. `half`: a part of it, and a reset. */
export type Fault = 'reset' | 'close' | 'half' | 'silence'

/** A proxy in front of PostgreSQL that knows where a message of the server ends. */
export interface MessageProxy extends Pick<DatabaseProxy, 'url' | 'stop'> {
  /** The number of messages from the server since the last `fail` or `rewrite`. */
  readonly count: number
  /** Forwards `after` more messages, then fails, once. */
  fail(fault: Fault, after: number): void
  /** Changes the text of the next message that contains it. */
  rewrite(from: string, to: string): void
}

export async function startMessageProxy(postgresUrl: string): Promise<MessageProxy> {
  let count = 0
  let armed: { fault: Fault; after: number } | undefined
  let replaced: { from: string; to: string } | undefined

  const { url, stop } = await startDatabaseProxy(postgresUrl, (near, far) => {
    let isOver = false
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

  return {
    url,
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
    stop,
  }
}
