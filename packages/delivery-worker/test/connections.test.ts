import { createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ReceiverOptions } from '@quickquote/dev-servers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IDLE_MS } from '../src/http/connections.ts'
import { openReceiver } from './support/host.ts'
import { answered, http, listen, ORGANIZATION_ID, post, tlsServer } from './support/raw-receivers.ts'

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('sockets', () => {
  async function counting(respond: ReceiverOptions['respond']) {
    const ports = new Set<number>()
    const partner = await openReceiver(respond)
    const proxy = createServer((near) => {
      ports.add(near.remotePort ?? 0)
      const far = new URL(partner.url)
      const socket = new (near.constructor as typeof Socket)()
      socket.on('error', () => near.destroy())
      socket.connect(Number(far.port), far.hostname)
      near.pipe(socket).pipe(near)
      near.on('close', () => socket.destroy())
    })
    return { partner, ports, origin: `https://127.0.0.1:${await listen(proxy)}` }
  }

  it('are reused', async () => {
    const { ports, origin } = await counting(() => ({ status: 204 }))
    const client = http()

    for (let n = 0; n < 20; n += 1) expect(await post(client, origin)).toEqual(answered(204))

    // One is returned while the next request begins.
    expect(ports.size).toBeLessThanOrEqual(2)
  })

  it('stay few while the receiver is fast, however much is to be sent', async () => {
    const { ports, partner, origin } = await counting(() => ({ status: 204 }))
    const client = http({ socketsPerOrigin: 4 })

    await Promise.all(Array.from({ length: 300 }, () => post(client, origin)))

    expect(partner.requests).toHaveLength(300)
    expect(ports.size).toBeLessThan(150)
  })

  it('that hang delay no other request to the origin', async () => {
    const partner = await openReceiver(({ path }) => (path === '/hang' ? { hang: true } : { status: 204 }))
    const client = http({ socketsPerOrigin: 2, timeoutMs: 20_000 })
    const hanging = Array.from({ length: 10 }, () => post(client, partner.url, '/hang'))

    const healthy = await Promise.all(Array.from({ length: 20 }, () => post(client, partner.url, '/fine')))

    expect(healthy).toEqual(Array(20).fill(answered(204)))
    client.abort()
    expect(await Promise.all(hanging)).toEqual(
      Array(10).fill({
        kind: 'error',
        code: 'worker_stopped',
        error: 'the worker was stopped before a response arrived',
      }),
    )
  })

  it('send nothing after an abort: a request that has just got its turn ends like those in flight', async () => {
    const partner = await openReceiver()
    const client = http()
    const turn = await client.turn(partner.url, ORGANIZATION_ID)

    client.abort()

    expect(await client.post({ turn, path: '/', headers: {}, body: '' })).toEqual({
      kind: 'error',
      code: 'worker_stopped',
      error: 'the worker was stopped before a response arrived',
    })
    expect(partner.requests).toEqual([])
  })
})

describe('the age of a connection', () => {
  /** The time of connections runs ahead by this much. */
  function clock() {
    const ahead = { ms: 0 }
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead.ms)
    return ahead
  }

  /** Answers every request, and counts those of each connection. */
  async function counting(headers = '') {
    const requests: number[] = []
    const ended: number[] = []
    const origin = await tlsServer((socket) => {
      const own = requests.push(0) - 1
      socket.on('end', () => ended.push(own))
      socket.on('data', () => {
        requests[own] = (requests[own] ?? 0) + 1
        socket.write(`HTTP/1.1 204 No Content\r\n${headers}\r\n`)
      })
    })
    return { origin, requests, ended }
  }

  it('is limited to 60 s, however busy it is, so that an endpoint follows its name', async () => {
    const ahead = clock()
    const { origin, requests } = await counting()
    const asked: string[] = []
    const client = http({
      resolve: async (name) => {
        asked.push(name)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const named = origin.replace('127.0.0.1', 'localhost')
    for (const ms of [0, 20_000, 40_000, 59_000]) {
      ahead.ms = ms
      expect(await post(client, named)).toEqual(answered(204))
    }
    expect([requests, asked]).toEqual([[4], ['localhost']])

    for (const ms of [60_001, 61_000]) {
      ahead.ms = ms
      expect(await post(client, named)).toEqual(answered(204))
    }

    expect([requests, asked]).toEqual([
      [4, 2],
      ['localhost', 'localhost'],
    ])
  })

  it("is limited to 30 s without a request, which a receiver's `Keep-Alive` does not lengthen", async () => {
    expect(IDLE_MS).toBe(30_000)
    const { origin, ended } = await counting('Keep-Alive: timeout=65\r\n')
    expect(await post(http({ idleMs: 1000 }), origin)).toEqual(answered(204))
    await expect.poll(() => ended, { timeout: 20_000 }).toEqual([0])
  })

  it("is shorter if the receiver's `Keep-Alive` says so", async () => {
    const { origin, requests } = await counting('Keep-Alive: timeout=1\r\n')
    const client = http()
    for (let n = 0; n < 3; n += 1) expect(await post(client, origin)).toEqual(answered(204))
    expect(requests).toEqual([1, 1, 1])
  })
})

describe('a reused connection that ends before the response begins', () => {
  /** Answers the first request of each connection, then does this with the second. */
  async function receiver(second: (socket: TLSSocket) => void) {
    const requests: number[] = []
    let connections = 0
    const origin = await tlsServer((socket) => {
      connections += 1
      const connection = connections
      let isFirst = true
      socket.on('data', () => {
        requests.push(connection)
        if (isFirst) socket.write(NO_CONTENT)
        else second(socket)
        isFirst = false
      })
    })
    return { origin, requests }
  }

  it.each<[string, (socket: TLSSocket) => void]>([
    ['closed', (socket) => socket.end()],
    ['destroyed', (socket) => socket.destroy()],
  ])('is replaced once: %s', async (_, second) => {
    const { origin, requests } = await receiver(second)
    let resent = 0
    const client = http({ onResent: () => (resent += 1) })
    for (let n = 0; n < 4; n += 1) expect(await post(client, origin)).toEqual(answered(204))
    // The repeated request is the first of its connection, which carries the next one, too.
    expect(requests).toEqual([1, 1, 2, 2, 3, 3, 4])
    expect(resent).toBe(3)
  })

  it('is not replaced once a byte of a response has arrived', async () => {
    const { origin, requests } = await receiver((socket) => socket.end('H'))
    const client = http()
    expect(await post(client, origin)).toEqual(answered(204))
    expect(await post(client, origin)).toMatchObject({ kind: 'error' })
    expect(requests).toEqual([1, 1])
  })

  it('is not replaced if it was new', async () => {
    let requests = 0
    const origin = await tlsServer((socket) =>
      socket.on('data', () => {
        requests += 1
        socket.end()
      }),
    )
    expect(await post(http(), origin)).toMatchObject({ code: 'connection_closed' })
    expect(requests).toBe(1)
  })
})
