import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { hasNginx, startNginx } from '@quickquote/dev-servers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ACME, type Host, openHost, useDatabase } from './support/host.ts'

const MIB = 1024 * 1024
const PATH = '/v1/integrations/quotations'
const WRONG_KEY = { 'X-API-Key': `pk_${'0'.repeat(49)}` }
/** More than the largest start, which is the most that is dropped. */
const MOST = 60 * MIB

const database = useDatabase()
let host: Host
let key: string

async function serve(options: Omit<Parameters<typeof openHost>[0], 'databaseUrl'> = {}): Promise<void> {
  host = await openHost({ ...options, databaseUrl: database.url })
}

interface Refused {
  readonly text: string
  /** Bytes that the server has read from this connection. */
  readonly bytesRead: number
}

/** Sends a request with an endless body, a flood or nothing at all. Resolves once the server has closed the connection. */
async function sendEndless(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: 'flood' | 'stall',
): Promise<Refused> {
  const { hostname, port } = new URL(host.url)
  const accepted = once(host.app.server, 'connection')
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const [end] = (await accepted) as [Socket]
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 ** 40}\r\n${lines.join('')}\r\n`,
  )
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const piece = Buffer.alloc(MIB, 'x')
  while (body === 'flood' && !socket.destroyed) {
    const drained = new Promise((resolve) => socket.once('drain', resolve))
    if (!socket.write(piece)) await Promise.race([drained, closed])
  }
  await closed
  return { text, bytesRead: end.bytesRead }
}

/** Resolves once the server has received this many requests. */
async function requests(count: number): Promise<void> {
  let left = count
  for await (const _ of on(host.app.server, 'request')) {
    left -= 1
    if (left === 0) return
  }
}

describe('a client that keeps sending after a refusal', () => {
  beforeEach(async () => {
    await serve({ integrations: { limits: { requestsPerMinute: 3 } } })
    key = (await host.createKey()).key
  })

  const json = { 'Content-Type': 'application/json' }
  const withKey = () => ({ 'X-API-Key': key })

  it.each<[number, string, string, () => Record<string, string>]>([
    [401, 'POST', PATH, () => ({ ...WRONG_KEY, ...json })],
    [400, 'POST', `${PATH}?api_key=x`, () => ({ ...withKey(), ...json })],
    [404, 'POST', '/v1/integrations/nothing', () => ({ ...withKey(), ...json })],
    [405, 'PATCH', PATH, () => ({ ...withKey(), ...json })],
    [413, 'POST', PATH, () => ({ ...withKey(), ...json })],
    [415, 'POST', PATH, () => ({ ...withKey(), 'Content-Type': 'text/csv' })],
    [401, 'POST', `/v1/organizations/${ACME}/webhooks`, () => json],
    [413, 'POST', `/v1/organizations/${ACME}/webhooks`, () => ({ ...json, 'X-Member': 'acme-admin' })],
  ])(
    'with %i (%s %s) gets its response, and its connection is closed',
    async (status, method, path, headers) => {
      const { text, bytesRead } = await sendEndless(method, path, headers(), 'flood')
      expect(bytesRead).toBeLessThan(MOST)
      // A client that only sends may lose the response with the connection.
      if (text !== '') expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*^connection: close`, 'ims'))
    },
  )

  it('with 429 gets its response, and its connection is closed', async () => {
    for (let n = 0; n < 3; n += 1) await host.call('GET', `${PATH}/${randomUUID()}`, { key })
    const { text, bytesRead } = await sendEndless('POST', PATH, { ...withKey(), ...json }, 'stall')
    expect(text).toMatch(/^HTTP\/1\.1 429 .*^connection: close/ims)
    expect(bytesRead).toBeLessThan(MOST)
  })

  it('does not delay the shutdown of the server', async () => {
    const arrived = requests(2)
    const sent = sendEndless('POST', PATH, { ...WRONG_KEY, ...json }, 'stall')
    const flooded = sendEndless('POST', PATH, { ...WRONG_KEY, ...json }, 'flood')
    // A connection without a complete request is idle, and closed without a response.
    await arrived
    await host.app.close()
    expect((await sent).text).toMatch(/^HTTP\/1\.1 401 .*^connection: close/ims)
    await flooded
  })
})

it('thirty stalled refused clients get their responses, even while the garbage collector runs all the time', async () => {
  await serve({ integrations: { limits: { startsPerMinute: 100 } } })
  key = (await host.createKey()).key
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // The pause follows the collection, or there would be no time for anything else.
  const collecting = setTimeout(() => {
    collect()
    collecting.refresh()
  }, 20)
  onTestFinished(() => clearTimeout(collecting))

  const form = { 'X-API-Key': key, 'Content-Type': 'multipart/form-data; boundary=b' }
  const refused = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      // Half of them are refused before the body is read, the others because of it.
      sendStalled(index % 2 === 0 ? { ...form, ...WRONG_KEY } : form),
    ),
  )
  expect(refused.map((text) => text.slice(0, 12))).toEqual(
    refused.map((_, index) => (index % 2 === 0 ? 'HTTP/1.1 401' : 'HTTP/1.1 400')),
  )
})

/** A form with a refused file, and then nothing more. */
async function sendStalled(headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port } = new URL(host.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.exe"\r\n\r\nx'
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n${lines.join('')}\r\n${part}`,
  )
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

it('a complete request keeps its connection, refused or not', async () => {
  await serve()
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, headers } = await host.call(method, PATH, {
      headers: WRONG_KEY,
      ...(method === 'GET' ? {} : { body: 'x'.repeat(100_000) }),
    })
    expect([status, headers.get('connection')]).toEqual([401, 'keep-alive'])
  }
})

describe.skipIf(!hasNginx)('behind nginx with its default buffering', () => {
  it('a large upload with a wrong key gets our 401', async () => {
    await serve()
    const nginx = await startNginx(host.url)
    onTestFinished(() => nginx.stop())
    for (const mib of [1, 5, 20, 50]) {
      const response = await fetch(nginx.url + PATH, {
        method: 'POST',
        headers: { ...WRONG_KEY, 'Content-Type': 'multipart/form-data; boundary=b' },
        body: Buffer.alloc(mib * MIB, 'x'),
      })
      expect([mib, response.status]).toEqual([mib, 401])
      expect(await response.json()).toMatchObject({ code: 'API_KEY_INVALID' })
    }
  })
})
if (!hasNginx)
  console.warn('nginx is not installed: what it does with a large upload that is refused was not tried')
