import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { type Receiver, type ReceiverOptions, startReceiver } from '../src/index.ts'

const receivers: Receiver[] = []

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

async function start(options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await startReceiver(options)
  receivers.push(receiver)
  return receiver
}

async function post(receiver: Receiver, path = '/', body: string | Buffer = ''): Promise<IncomingMessage> {
  const outgoing = request(new URL(path, receiver.url), {
    method: 'POST',
    ca: receiver.certificate.cert,
    headers: { 'content-type': 'application/json' },
  })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  return response
}

it('keeps requests byte for byte, and responds with 204', async () => {
  const receiver = await start()
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  expect((await post(receiver, '/hooks?a=1', body)).statusCode).toBe(204)

  const [received] = receiver.requests
  expect(received).toMatchObject({ method: 'POST', path: '/hooks?a=1' })
  expect(received?.headers['content-type']).toBe('application/json')
  expect(received?.rawBody.equals(body)).toBe(true)
  expect(received?.receivedAt).toBeInstanceOf(Date)
})

it('is trusted as localhost and as 127.0.0.1 only with its certificate', async () => {
  const receiver = await start()
  const asLocalhost = { ...receiver, url: receiver.url.replace('127.0.0.1', 'localhost') }
  expect((await post(asLocalhost)).statusCode).toBe(204)

  const stranger = await start()
  const wrongTrust = { ...receiver, certificate: stranger.certificate }
  await expect(post(wrongTrust)).rejects.toThrow(/self-signed certificate|unable to verify/)
})

it('gives each request its configured response, including redirects', async () => {
  const receiver = await start({
    respond: ({ path }) =>
      path === '/gone'
        ? { status: 410, body: 'gone' }
        : { status: 302, headers: { location: 'https://example.com/' } },
  })
  const gone = await post(receiver, '/gone')
  expect(gone.statusCode).toBe(410)
  expect((await buffer(gone)).toString()).toBe('gone')
  const moved = await post(receiver)
  expect(moved.statusCode).toBe(302)
  expect(moved.headers.location).toBe('https://example.com/')
})

it('answers late', async () => {
  const receiver = await start({ respond: () => ({ status: 200, delayMs: 50 }) })
  expect((await post(receiver)).statusCode).toBe(200)
})

it('resets the connection', async () => {
  const receiver = await start({ respond: () => ({ reset: true }) })
  await expect(post(receiver)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(receiver.requests).toHaveLength(1)
})

it('hangs until it is stopped', async () => {
  const receiver = await start({ respond: () => ({ hang: true }) })
  let settled = false
  const answer = post(receiver).finally(() => {
    settled = true
  })
  const refused = expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
  await receiver.next()
  expect(settled).toBe(false)
  await receiver.stop()
  await refused
})

it('sends a body that never ends, until the client goes away', async () => {
  let ended: () => void = () => undefined
  const clientLeft = new Promise<void>((resolve) => {
    ended = resolve
  })
  async function* endless() {
    try {
      for (;;) {
        yield 'more '
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    } finally {
      ended()
    }
  }
  const receiver = await start({ respond: () => ({ status: 200, body: endless() }) })
  const response = await post(receiver)
  let read = 0
  for await (const chunk of response) {
    read += chunk.length
    if (read > 20) break
  }
  await clientLeft
})

it('shows an error of respond() as a 500', async () => {
  const receiver = await start({
    respond: () => {
      throw new Error('a mistake in the test')
    },
  })
  const response = await post(receiver)
  expect(response.statusCode).toBe(500)
  expect((await buffer(response)).toString()).toContain('a mistake in the test')
})

it('next returns each matching request once, oldest first', async () => {
  const receiver = await start()
  const waited = receiver.next(({ path }) => path === '/b')
  await post(receiver, '/a')
  await post(receiver, '/b')
  await post(receiver, '/c')
  expect((await waited).path).toBe('/b')
  expect((await receiver.next()).path).toBe('/a')
  expect((await receiver.next()).path).toBe('/c')
  await expect(receiver.next(undefined, { timeoutMs: 20 })).rejects.toThrow(
    'did not arrive within 20 ms. Received: POST /a, POST /b, POST /c',
  )
})

it('waitFor returns all requests once there are enough', async () => {
  const receiver = await start()
  const waited = receiver.waitFor(2)
  await post(receiver, '/a')
  await post(receiver, '/b')
  expect((await waited).map(({ path }) => path)).toEqual(['/a', '/b'])
  await expect(receiver.waitFor(3, { timeoutMs: 20 })).rejects.toThrow('Webhook 3 did not arrive')
})

it('pending waits fail when it stops', async () => {
  const receiver = await start()
  const refused = expect(receiver.next()).rejects.toThrow('the receiver has stopped')
  await receiver.stop()
  await receiver.stop()
  await refused
})
