import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_LIMITS, type Integrations, type Storage } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiveMultipart, takeMultipart } from '../../src/bodies/multipart.ts'

const BOUNDARY = 'b0undary'
/** Cut positions tested concurrently, each over its own connection. */
const AT_ONCE = 32

let app: FastifyInstance
let url: URL
/** The server's ends of the connections, by the client's port. */
const accepted = new Map<number, Socket>()

function formOf(sizes: readonly number[]): Buffer {
  const parts = sizes.flatMap((size, index) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${index}.md"\r\n\r\n`,
    'x'.repeat(size),
    '\r\n',
  ])
  return Buffer.from([...parts, `--${BOUNDARY}--\r\n`].join(''))
}

/**
 * Sends the pieces as separate packets, and returns the response.
 * @param isApart each piece is sent once the previous one has been read
 */
async function send(pieces: readonly Buffer[], isApart: boolean): Promise<string> {
  const socket = connect(Number(url.port), url.hostname).setNoDelay().setEncoding('utf8')
  const answer = (async () => {
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  })()
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const head =
    `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n` +
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`
  for (const piece of [head, ...pieces]) {
    socket.write(piece)
    if (isApart) await wasRead(socket)
  }
  return answer
}

async function wasRead(socket: Socket): Promise<void> {
  const isRead = () => Number(accepted.get(Number(socket.localPort))?.bytesRead) >= socket.bytesWritten
  while (!socket.destroyed && (socket.connecting || !isRead())) await sleep(1)
  await sleep(1)
}

/** Returns the positions at which a cut form was not accepted completely. */
async function refusedAt(
  body: Buffer,
  sizes: readonly number[],
  positions: readonly number[],
  isApart: boolean,
) {
  const refused: { at: number; answer: string }[] = []
  const left = [...positions]
  const tryNext = async () => {
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      const answer = await send([body.subarray(0, at), body.subarray(at)], isApart)
      if (!answer.startsWith('HTTP/1.1 202 ') || !answer.endsWith(JSON.stringify(sizes)))
        refused.push({ at, answer: answer.split('\r\n\r\n')[1] ?? answer })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, tryNext))
  return refused
}

/**
 * Tests forms that arrive cut in two.
 * @param small the sizes of the files of each form that is cut at every position
 * @param large of each form that is cut around every boundary
 */
export function testUploadCuts(small: readonly number[][], large: readonly number[][]): void {
  const database = useDatabase()
  let integrations: Integrations

  beforeAll(async () => {
    const storage = drizzleStorage({ connectionString: database.url })
    const uploads: Storage['uploads'] = {
      ...storage.uploads,
      // Like a slow database: the rest of the form has arrived before its file is read.
      async record(file, now) {
        await sleep(5)
        await storage.uploads.record(file, now)
      },
    }
    integrations = integrationsOn({ ...storage, uploads })
    const { requirementsFiles } = integrations
    app = Fastify()
    takeMultipart(app)
    app.post('/', async (request, reply) => {
      const options = { organizationId: randomUUID(), requirementsFiles, limits: DEFAULT_LIMITS }
      const form = await receiveMultipart(request, options)
      return reply.code(202).send(form.files.map(({ size }) => size))
    })
    app.server.on('connection', (socket: Socket) => accepted.set(Number(socket.remotePort), socket))
    url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  })
  afterAll(async () => {
    await app.close()
    await integrations.close()
  })

  describe.each([
    ['at once', false],
    ['one after the other', true],
  ])('a form cut between two packets, sent %s, is accepted', (_, isApart) => {
    it.each(small.map((sizes) => [sizes]))('at every position, with files of %j bytes', async (sizes) => {
      const body = formOf(sizes)
      const positions = Array.from({ length: body.length - 1 }, (_, index) => index + 1)
      expect(await refusedAt(body, sizes, positions, isApart)).toEqual([])
    })

    // Beyond 64 KiB a part holds up the parser until it is read.
    it.each(large.map((sizes) => [sizes]))('around every boundary, with files of %j bytes', async (sizes) => {
      const body = formOf(sizes)
      const positions: number[] = []
      for (let found = body.indexOf('\r\n--'); found !== -1; found = body.indexOf('\r\n--', found + 1)) {
        for (let at = found - 1; at <= found + BOUNDARY.length + 10; at += 1)
          if (at < body.length) positions.push(at)
      }
      expect(await refusedAt(body, sizes, positions, isApart)).toEqual([])
    })
  })
}
