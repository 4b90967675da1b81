import { type DatabaseProxy, startDatabaseProxy } from '@quickquote/dev-servers'

/** A database proxy that counts the prepared statements of each connection: PostgreSQL shows them only to their session. */
export interface StatementCounter extends DatabaseProxy {
  /** The open connections, and the most statements of one. */
  count(): { readonly connections: number; readonly mostOfOne: number }
}

const PARSE = 'P'.charCodeAt(0)
const CLOSE = 'C'.charCodeAt(0)
const STATEMENT = 'S'.charCodeAt(0)

export async function countStatements(url: string): Promise<StatementCounter> {
  const connections = new Set<Set<string>>()
  const proxy = await startDatabaseProxy(url, (client, database) => {
    const prepared = new Set<string>()
    connections.add(prepared)
    client.on('data', messageReader(prepared))
    database.once('close', () => connections.delete(prepared))
    client.pipe(database)
    database.pipe(client)
  })
  return {
    ...proxy,
    count() {
      const sizes = [...connections].map(({ size }) => size)
      return {
        connections: sizes.length,
        mostOfOne: Math.max(0, ...sizes),
      }
    },
  }
}

/** Parses a client's messages; the first has no type byte before its length. */
function messageReader(prepared: Set<string>): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let isStartup = true
  /** Bytes to skip of a long message, such as one with parameters. */
  let toSkip = 0
  return (chunk) => {
    const skipped = Math.min(toSkip, chunk.length)
    toSkip -= skipped
    rest = Buffer.concat([rest, chunk.subarray(skipped)])
    for (;;) {
      const letter = isStartup ? 0 : 1
      if (rest.length < letter + 4) return
      const length = letter + rest.readUInt32BE(letter)
      const isOfInterest = !isStartup && (rest[0] === PARSE || rest[0] === CLOSE)
      if (rest.length < length) {
        if (isOfInterest) return
        toSkip = length - rest.length
        rest = Buffer.alloc(0)
        isStartup = false
        return
      }
      if (isOfInterest) note(prepared, rest.subarray(0, length))
      rest = rest.subarray(length)
      isStartup = false
    }
  }
}

function note(prepared: Set<string>, message: Buffer): void {
  const begin = message[0] === PARSE ? 5 : 6
  const name = message.toString('utf8', begin, message.indexOf(0, begin))
  if (name === '') return
  if (message[0] === PARSE) prepared.add(name)
  else if (message[5] === STATEMENT) prepared.delete(name)
}
