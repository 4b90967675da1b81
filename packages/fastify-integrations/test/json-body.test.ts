import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { parseJsonOnly } from '../src/bodies/json-body.ts'
import type { MinDataRate } from '../src/bodies/read-body.ts'
import { errorHandler } from '../src/errors/error-handler.ts'
import { isBefore } from './support/fastify-version.ts'

/** A server with our parser, and a connection to it that has sent the head of a request. */
async function open(minDataRate: MinDataRate, contentLength: number) {
  const log: { code?: string; level: number }[] = []
  const logged = new EventEmitter()
  const stream = {
    write(line: string) {
      log.push(JSON.parse(line))
      logged.emit('line')
    },
  }
  const app = Fastify({ logger: { stream } })
  parseJsonOnly(app, 10_000, minDataRate)
  app.setErrorHandler(errorHandler({ typeBase: 'urn:test:' }))
  app.post('/', async ({ body }) => ({ body }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())

  const taken = once(app.server, 'request')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${contentLength}\r\n\r\n`,
  )
  return {
    socket,
    /** Resolves when the server has read the head. */
    taken,
    /** Waits for the log line with this code. */
    async refusal() {
      for (;;) {
        const line = log.find(({ code }) => code !== undefined)
        if (line !== undefined) return line
        await once(logged, 'line')
      }
    },
  }
}

/** The response, once the server has closed the connection. */
async function answerOn(socket: Socket): Promise<string> {
  let answer = ''
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk
  return answer
}

const SHORT: MinDataRate = { graceMs: 300, bytesPerSecond: 1e9 }
const LONG: MinDataRate = { graceMs: 60_000, bytesPerSecond: 1 }

it('a client that sends a byte now and then is answered with 400, and the connection is closed', async () => {
  const { socket } = await open(SHORT, 9000)
  const drip = setInterval(() => socket.write(' '), 20)
  onTestFinished(() => clearInterval(drip))
  const answer = await answerOn(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  // Older versions say so in a second answer.
  if (!isBefore(6)) expect(answer).toMatch(/^connection: close\r$/im)
  expect(answer).toContain('"detail":"The body arrived too slowly."')
  expect(answer).toContain('"code":"MALFORMED_REQUEST"')
})

it('a client that sends nothing is answered with 400, too', async () => {
  const { socket } = await open(SHORT, 9000)
  expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 400 .*arrived too slowly/s)
})

it('a slow client is served if it is not slower than allowed', async () => {
  const body = Buffer.from('{"name":"Café"}')
  const { socket } = await open(LONG, body.length)
  const answer = once(socket, 'data')
  for (const byte of body) {
    socket.write(Buffer.from([byte]))
    await sleep(2)
  }
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 .*{"body":{"name":"Café"}}$/s)
  socket.destroy()
})

it('a client that disconnects in the middle is not logged as our error', async () => {
  const { socket, taken, refusal } = await open(LONG, 9000)
  socket.write('{"name":')
  await taken
  socket.destroy()
  expect(await refusal()).toMatchObject({ code: 'MALFORMED_REQUEST', level: 30 })
})
