import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A database proxy that counts the prepared statements of each connection: PostgreSQL shows them only to their session. */
export interface StatementCounter {
  readonly url: string
  /** The open connections, and the most statements of one. */
  count(): { readonly connections: number; readonly mostOfOne: number }
  stop(): Promise<void>
}

const PARSE = 'P'.charCodeAt(0)
const CLOSE = 'C'.charCodeAt(0)
const STATEMENT = 'S'.charCodeAt(0)

/** Forwards everything to the database at `url`, without TLS. */
export async function countStatements(url: string): Promise<StatementCounter> {
  const target = new URL(url)
  const connections = new Set<Set<string>>()
  const server = createServer((client) => {
    const prepared = new Set<string>()
    connections.add(prepared)
    const database = connect(Number(target.port), target.hostname)
    client.on('data', messageReader(prepared))
    client.on('error', () => undefined).on('close', () => database.destroy())
    database.on('error', () => undefined).on('close', () => client.destroy())
    database.once('close', () => connections.delete(prepared))
    client.pipe(database)
    database.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    count() {
      const sizes = [...connections].map(({ size }) => size)
      return {
        connections: sizes.length,
        mostOfOne: Math.max(0, ...sizes),
      }
    },
    async stop() {
      server.close()
      await once(server, 'close')
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
