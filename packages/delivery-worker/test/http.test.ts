import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Outcome } from '@quickquote/core/internal'
import { createCertificate } from '@quickquote/dev-servers'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addressGuard } from '../../core/src/lib/address-guard.ts'
import { certificate, openReceiver } from './support/host.ts'
import { answered, http, listen, ORGANIZATION_ID, post, tlsServer } from './support/raw-receivers.ts'

afterEach(() => vi.unstubAllEnvs())

/** The part of the response that was read, and the outcome. */
async function textOfAnswer(origin: string): Promise<[string, Outcome | null]> {
  const chunks: Buffer[] = []
  const client = http()
  const outcome = await client.post({
    turn: await client.turn(origin, ORGANIZATION_ID),
    path: '/',
    headers: {},
    body: '',
    listener: { began() {}, ended() {}, data: (chunk) => void chunks.push(Buffer.from(chunk)) },
  })
  return [Buffer.concat(chunks).toString(), outcome]
}

describe('a POST', () => {
  it('sends the body unchanged, and returns the status', async () => {
    const partner = await openReceiver(() => ({ status: 202 }))

    expect(await post(http(), partner.url)).toEqual(answered(202))

    const request = await partner.next()
    expect(request).toMatchObject({ method: 'POST', path: '/hook?token=1' })
    expect(request.rawBody.toString()).toBe('{"a":"ü"}')
    expect(Object.keys(request.headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
    ])
  })

  it('never follows a redirect', async () => {
    const elsewhere = await openReceiver()
    const partner = await openReceiver(() => ({ status: 307, headers: { location: elsewhere.url } }))

    expect(await post(http(), partner.url)).toEqual(answered(307))

    expect(partner.requests).toHaveLength(1)
    expect(elsewhere.requests).toHaveLength(0)
  })

  it("returns the receiver's Retry-After", async () => {
    const partner = await openReceiver(() => ({ status: 429, headers: { 'retry-after': '30' } }))

    expect(await post(http(), partner.url)).toEqual(answered(429, 30_000))
  })
})

describe('an informational response before the final one', () => {
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

  it.each([
    ['100', CONTINUE],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['100 of HTTP/1.0, in lines that end with LF', 'HTTP/1.0 100 Continue\nx: y\n\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', HINTS],
    ['one after the other', CONTINUE + HINTS + HINTS],
  ])('is ignored: %s', async (_, before) => {
    const answer = `${before}HTTP/1.1 204 No Content\r\n\r\n`
    const atOnce = await tlsServer((socket) => socket.on('data', () => socket.write(answer)))
    const inTwo = await tlsServer((socket) =>
      socket.on('data', () => {
        socket.write(before)
        setTimeout(() => socket.write(answer.slice(before.length)), 20)
      }),
    )
    const byteByByte = await tlsServer((socket) => {
      socket.setNoDelay()
      socket.on('data', async () => {
        for (const byte of answer) await new Promise((resolve) => socket.write(byte, resolve))
      })
    })

    for (const origin of [atOnce, inTwo, byteByByte]) {
      const client = http()
      // On a new connection, and on a reused one.
      expect(await post(client, origin)).toEqual(answered(204))
      expect(await post(client, origin)).toEqual(answered(204))
    }
  })

  it('may arrive before the request is sent', async () => {
    const origin = await tlsServer((socket) => {
      socket.write(CONTINUE)
      socket.on('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
    })
    expect(await post(http(), origin)).toEqual(answered(204))
  })

  it('is an error if it is the last, or switches the protocol', async () => {
    const closed = { kind: 'error', code: 'connection_closed' }
    const hungUp = await tlsServer((socket) => socket.on('data', () => socket.end(CONTINUE)))
    expect(await post(http(), hungUp)).toMatchObject(closed)
    const switched = await tlsServer((socket) =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
      ),
    )
    expect(await post(http(), switched)).toMatchObject(closed)
  })
})

describe('a response, in raw bytes', () => {
  const LIMIT = 256 * 1024
  const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n'
  const CHUNKED = 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n'
  const TOO_LARGE = {
    kind: 'error',
    code: 'headers_too_large',
    error: 'the response headers are too large',
  }

  /** The bytes that a receiver could write before it was cut off. Its last writes may still be in flight. */
  async function endless(begin: string, more: string): Promise<{ origin: string; sent: () => number }> {
    let sent = 0
    const piece = more.repeat(Math.ceil(4096 / more.length))
    const origin = await tlsServer((socket) => {
      function go(): void {
        while (!socket.destroyed) {
          sent += piece.length
          if (!socket.write(piece)) return
        }
      }
      socket.on('drain', go)
      socket.once('data', () => {
        socket.write(begin)
        go()
      })
    })
    return { origin, sent: () => sent }
  }

  it.each([
    ['chunk extensions', `${CHUNKED}1;`, 'x=y;', answered(202)],
    ['chunks of one byte', CHUNKED, '1;x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\nz\r\n', answered(202)],
    ['trailers', `${CHUNKED}0\r\n`, 'x: y\r\n', answered(202)],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', TOO_LARGE],
    ['one header', 'HTTP/1.1 200 OK\r\nx: ', 'yyyy', TOO_LARGE],
    ['a reason', 'HTTP/1.1 200 ', 'yyyy', TOO_LARGE],
    ['informational answers', '', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n', TOO_LARGE],
    ['headers of an informational response', 'HTTP/1.1 100 Continue\r\n', 'x: y\r\n', TOO_LARGE],
  ])('ends after 256 KiB: %s without end', async (_, begin, more, outcome) => {
    const { origin, sent } = await endless(begin, more)

    expect(await post(http({ timeoutMs: 60_000 }), origin)).toEqual(outcome)

    // The rest is in socket buffers on both sides, and does not grow with time.
    expect(sent()).toBeLessThan(LIMIT + 16 * 1024 * 1024)
  })

  const filled = (bytes: number, rest: string) => {
    const [begin, end] = ['HTTP/1.1 103 Early Hints\r\nx: ', '\r\n\r\n']
    return begin + 'y'.repeat(bytes - begin.length - end.length - rest.length) + end + rest
  }

  it.each([
    ['of exactly 256 KiB counts', filled(LIMIT, NO_CONTENT), answered(204)],
    ['counts by its status, if that arrived before the limit', filled(LIMIT, CHUNKED), answered(202)],
    ['of one byte more does not count', filled(LIMIT + 1, NO_CONTENT), TOO_LARGE],
    [
      'with a head of 250 KiB counts',
      `HTTP/1.1 204 No Content\r\nx: ${'y'.repeat(250 * 1024)}\r\n\r\n`,
      answered(204),
    ],
  ])('%s', async (_, answer, outcome) => {
    const after = outcome === TOO_LARGE || answer.endsWith(CHUNKED) ? '1;x=y'.repeat(10) : ''
    const origin = await tlsServer((socket) => socket.on('data', () => socket.write(answer + after)))
    expect(await post(http(), origin)).toEqual(outcome)
  })

  it('is counted from zero for each attempt on a connection', async () => {
    let connections = 0
    const origin = await tlsServer((socket) => {
      connections += 1
      socket.on('data', () => socket.write(filled(200 * 1024, NO_CONTENT)))
    })
    const client = http({ socketsPerOrigin: 1 })

    for (let n = 0; n < 4; n += 1) expect(await post(client, origin)).toEqual(answered(204))

    expect(connections).toBeLessThan(4)
  })

  it('can be limited by the host', async () => {
    const origin = await tlsServer((socket) =>
      socket.on('data', () => socket.write(filled(2048, NO_CONTENT))),
    )
    expect(await post(http({ maxRawResponseBytes: 2047 }), origin)).toEqual(TOO_LARGE)
    expect(await post(http({ maxRawResponseBytes: 2048 }), origin)).toEqual(answered(204))
  })
})

describe('the timeout', () => {
  const timedOut = { kind: 'error', code: 'timeout', error: 'timed out after 300 ms' }

  it('covers a missing response', async () => {
    const partner = await openReceiver(() => ({ hang: true }))

    expect(await post(http({ timeoutMs: 300 }), partner.url)).toEqual(timedOut)
  })

  it('covers a body that does not end', async () => {
    async function* drip() {
      for (;;) {
        yield '.'
        await new Promise((resolve) => setTimeout(resolve, 50).unref())
      }
    }
    const partner = await openReceiver(() => ({ status: 200, body: drip() }))

    expect(await post(http({ timeoutMs: 300 }), partner.url)).toEqual({
      ...answered(200),
      incomplete: {
        kind: 'error',
        code: 'response_incomplete',
        error: 'the response body is incomplete: timed out after 300 ms',
      },
    })
  })

  it('covers headers that trickle in', async () => {
    const origin = await tlsServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x: y\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    })

    expect(await post(http({ timeoutMs: 300 }), origin)).toEqual(timedOut)
  })

  it('covers a TLS handshake that does not begin', async () => {
    const port = await listen(createServer())

    expect(await post(http({ timeoutMs: 300 }), `https://127.0.0.1:${port}`)).toEqual(timedOut)
  })

  it('does not count time in which this process was too busy to read a response', async () => {
    const [HOLDS, MAY_ANSWER, HAS_ANSWERED] = [0, 1, 2]
    const signals = new Int32Array(new SharedArrayBuffer(12))
    const thread = new Worker(new URL('./programs/held-receiver.js', import.meta.url), {
      workerData: { certificate, signals },
    })
    onTestFinished(() => void thread.terminate())
    const [port] = await once(thread, 'message')
    const client = http({ timeoutMs: 4000 })
    // The connection is already open.
    await post(client, `https://127.0.0.1:${port}`)

    const begun = performance.now()
    const outcome = post(client, `https://127.0.0.1:${port}`)
    while (Atomics.load(signals, HOLDS) === 0) await new Promise((resolve) => setImmediate(resolve))
    Atomics.store(signals, MAY_ANSWER, 1)
    Atomics.wait(signals, HAS_ANSWERED, 0)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, begun + 4100 - performance.now())

    expect(await outcome).toEqual(answered(204))
  })

  it('covers a name server that does not respond', async () => {
    const client = http({ timeoutMs: 300, resolve: () => new Promise(() => undefined) })

    expect(await post(client, 'https://silent.example')).toEqual(timedOut)
  })

  it('prevents later sending if a connection opens after all', async () => {
    const received: string[] = []
    const origin = await tlsServer((socket) => {
      socket.once('data', (data) => {
        const path = data.toString().split(' ', 2)[1] ?? ''
        received.push(path)
        if (path !== '/hang') socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      })
    })
    const here: readonly LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]
    let answer = (_: readonly LookupAddress[]) => {}
    let questions = 0
    const client = http({
      timeoutMs: 8000,
      socketsPerOrigin: 1,
      resolve: () => {
        questions += 1
        return questions === 21 ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(here)
      },
    })
    const byName = `https://localhost:${new URL(origin).port}`
    // They delay it, so that it begins to connect after half of its time.
    const hanging = Array.from({ length: 20 }, () => post(client, byName, '/hang'))
    expect(await post(client, byName, '/late')).toEqual({
      kind: 'error',
      code: 'timeout',
      error: 'timed out after 8000 ms',
    })

    answer(here)
    await post(client, byName, '/after')

    expect(received).toEqual([...Array(20).fill('/hang'), '/after'])
    await Promise.all(hanging)
  })
})

describe('a body', () => {
  it('is read up to the limit, and the status counts', async () => {
    let sent = 0
    async function* endless() {
      for (;;) {
        sent += 1024
        yield 'x'.repeat(1024)
      }
    }
    const partner = await openReceiver(() => ({ status: 200, body: endless() }))

    expect(await post(http(), partner.url)).toEqual(answered(200))

    // The bytes in the network meanwhile, not those that the receiver would keep sending.
    await expect.poll(() => partner.requests.length).toBe(1)
    expect(sent).toBeLessThan(10 * 1024 * 1024)
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('is decoded (%s)', async (encoding, compress) => {
    const partner = await openReceiver(() => ({
      status: 422,
      headers: { 'content-encoding': encoding },
      body: compress('no such deal'),
    }))
    expect(await textOfAnswer(partner.url)).toEqual(['no such deal', answered(422)])
  })

  it('is decoded no further than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x'))
    const partner = await openReceiver(() => ({
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: bomb,
    }))

    expect(bomb.length).toBeLessThan(16 * 1024)
    const [text, outcome] = await textOfAnswer(partner.url)
    expect(outcome).toEqual(answered(200))
    expect(text.length).toBe(16 * 1024)
  })

  it('that decodes to nothing is still read up to the limit, and the status counts', async () => {
    // Empty gzip files in a row, which decode to nothing.
    const nothing = gzipSync('')
    async function* endless() {
      for (let sent = 0; sent < 20 * 1024; sent += nothing.length) yield nothing
      await new Promise(() => {})
    }
    const partner = await openReceiver(() => ({
      status: 202,
      headers: { 'content-encoding': 'gzip' },
      body: endless(),
    }))
    expect(await textOfAnswer(partner.url)).toEqual(['', answered(202)])
  })

  it.each([
    ['that is cut off', gzipSync('no such deal').subarray(0, 12), 'gzip'],
    ['that has another encoding', Buffer.from('plain'), 'br'],
  ])('%s counts by its status', async (_, body, encoding) => {
    const partner = await openReceiver(() => ({
      status: 200,
      headers: { 'content-encoding': encoding },
      body,
    }))
    expect(await post(http(), partner.url)).toEqual(answered(200))
  })

  it('in an unknown encoding is read unchanged', async () => {
    const partner = await openReceiver(() => ({
      status: 200,
      headers: { 'content-encoding': 'rot13' },
      body: 'ab fhpu qrny',
    }))
    expect(await textOfAnswer(partner.url)).toEqual(['ab fhpu qrny', answered(200)])
  })
})

describe('an incomplete response keeps its status', () => {
  const kept = (statusCode: number, error: string) => ({
    ...answered(statusCode),
    incomplete: {
      kind: 'error',
      code: 'response_incomplete',
      error: `the response body is incomplete: ${error}`,
    },
  })
  const closed = kept(200, 'the connection was closed before its end')

  it.each([
    ['cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789', closed],
    ['without its last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n', closed],
    [
      'of a 410',
      'HTTP/1.1 410 Gone\r\nContent-Length: 100\r\n\r\n0123456789',
      kept(410, 'the connection was closed before its end'),
    ],
  ])('%s', async (_, text, outcome) => {
    const origin = await tlsServer((socket) => socket.on('data', () => socket.end(text)))
    expect(await post(http(), origin)).toEqual(outcome)
  })

  it.each([
    ['204 with a Content-Length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 204],
    ['204 with a Content-Length and a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', 204],
    ['204 in chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 204],
    ['304 with a Content-Length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n', 304],
  ])('but a %s is whole (RFC 9112, 6.3)', async (_, text, status) => {
    const origin = await tlsServer((socket) => socket.on('data', () => socket.write(text)))
    const client = http()
    for (let n = 0; n < 3; n += 1) expect(await post(client, origin)).toEqual(answered(status))
  })
})

describe('a certificate', () => {
  it('of an untrusted issuer is refused, and nothing is sent', async () => {
    const partner = await openReceiver()

    expect(await post(http({ ca: undefined }), partner.url)).toEqual({
      kind: 'error',
      code: 'certificate',
      error: 'certificate: self-signed certificate',
    })

    expect(partner.requests).toHaveLength(0)
  })

  it.each(['public', 'own'])('is verified whatever the environment says (%s issuers)', async (trusted) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const partner = await openReceiver()
    const other = await createCertificate()
    const client = http({ ca: trusted === 'own' ? other.cert : undefined })

    expect(await post(client, partner.url)).toMatchObject({ code: 'certificate' })
    expect(partner.requests).toHaveLength(0)
  })

  it('for another host name is refused', async () => {
    const partner = await openReceiver()
    const client = http({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })

    expect(await post(client, `https://other.example:${new URL(partner.url).port}`)).toEqual({
      kind: 'error',
      code: 'certificate',
      error: 'certificate: it is for another host name',
    })
  })
})

describe('an address', () => {
  const blocked = [{ address: '10.0.0.5', family: 4 }]

  it('that a name resolves to is refused if blocked', async () => {
    expect(await post(http({ resolve: async () => blocked }), 'https://inside.example')).toEqual({
      kind: 'blocked',
      error: 'address 10.0.0.5 is private (10.0.0.0/8)',
    })
  })

  it('that was checked is the one called: the name is looked up once', async () => {
    const partner = await openReceiver()
    const answers: LookupAddress[][] = [[{ address: '127.0.0.1', family: 4 }], blocked]
    const client = http({ resolve: async () => answers.shift() ?? blocked })

    // The certificate is for another name: this machine responded, and there was no second look-up.
    expect(await post(client, `https://rebinding.example:${new URL(partner.url).port}`)).toMatchObject({
      error: 'certificate: it is for another host name',
    })
    expect(answers).toEqual([blocked])
  })

  it('is skipped if another address of the name is allowed', async () => {
    const partner = await openReceiver()
    const client = http({ resolve: async () => [...blocked, { address: '127.0.0.1', family: 4 }] })

    expect(await post(client, `https://both.example:${new URL(partner.url).port}`)).toMatchObject({
      error: 'certificate: it is for another host name',
    })
  })

  it('that is blocked is never called, even if the allowed one does not respond', async () => {
    let connections = 0
    const inside = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    const port = await listen(inside)
    const client = http({
      guard: addressGuard({ allow: ['127.0.0.2/32'] }),
      resolve: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    })

    expect(await post(client, `https://both.example:${port}`)).toEqual({
      kind: 'error',
      code: 'connection_refused',
      error: 'connection refused',
    })

    expect(connections).toBe(0)
  })

  it('of a name that the host allowed is not checked', async () => {
    const partner = await openReceiver()
    const client = http({ guard: addressGuard({ allow: ['localhost'] }) })

    expect(await post(client, `https://localhost:${new URL(partner.url).port}`)).toEqual(answered(204))
  })
})
