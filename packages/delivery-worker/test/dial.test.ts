import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dial } from '../src/http/dial.ts'

const TIMEOUT_MS = 20_000

async function* inTurn(...addresses: string[]): AsyncGenerator<string> {
  yield* addresses
}

/** Counts its connections. */
async function server(address: string, port = 0) {
  const sockets: Socket[] = []
  const listening = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  listening.listen(port, address)
  await once(listening, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    listening.close()
  })
  return { port: (listening.address() as AddressInfo).port, sockets }
}

/** An address that answers no handshake until it is released. */
async function silentServer(address: string, port = 0) {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('./programs/blocked-listener.js', import.meta.url), {
    workerData: { signal, address, port },
  })
  const [bound] = await once(thread, 'message')
  const release = () => {
    signal[0] = 1
    Atomics.notify(signal, 0)
  }
  const fillers = Array.from({ length: 4 }, () => connect(bound, address).on('error', () => undefined))
  onTestFinished(async () => {
    for (const filler of fillers) filler.destroy()
    release()
    await thread.terminate()
  })
  // The queue of one takes two; the others stay outside.
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')))
  return { port: Number(bound), release }
}

async function addressOf({ socket }: ReturnType<typeof dial>): Promise<string | undefined> {
  const connected = await socket
  onTestFinished(() => void connected.destroy())
  return connected.remoteAddress
}

// Others have one loopback address, or answer a handshake that nobody accepts.
describe.runIf(process.platform === 'linux')('a connection to one of several addresses (RFC 8305)', () => {
  it('is made to the first one that works, and no other is tried', async () => {
    const first = await server('127.0.0.1')
    const second = await server('127.0.0.2', first.port)

    expect(await addressOf(dial(inTurn('127.0.0.1', '127.0.0.2'), first.port, TIMEOUT_MS))).toBe('127.0.0.1')

    expect(second.sockets).toEqual([])
  })

  it('does not wait for a dead first address of three, nor for one that refuses', async () => {
    const { port } = await silentServer('127.0.0.3')
    await server('127.0.0.5', port)
    const begun = performance.now()

    const dialing = dial(inTurn('127.0.0.3', '127.0.0.4', '127.0.0.5'), port, TIMEOUT_MS)

    expect(await addressOf(dialing)).toBe('127.0.0.5')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(249)
  })

  it('gives up no address when the next one begins, so that a slow handshake succeeds', async () => {
    const slow = await silentServer('127.0.0.6')
    await silentServer('127.0.0.7', slow.port)
    const dialing = dial(inTurn('127.0.0.6', '127.0.0.7'), slow.port, TIMEOUT_MS)
    await sleep(600)
    slow.release()
    expect(await addressOf(dialing)).toBe('127.0.0.6')
  })

  it('fails with the error of the receiver, not with a family that this machine does not have', async () => {
    const { port } = await server('127.0.0.1')
    // There is no way to a group.
    const dialing = dial(inTurn('224.0.0.1', '127.0.0.8', '224.0.0.2'), port, TIMEOUT_MS)
    await expect(dialing.socket).rejects.toMatchObject({ code: 'ECONNREFUSED', address: '127.0.0.8' })
    const none = dial(inTurn('224.0.0.1'), port, TIMEOUT_MS)
    await expect(none.socket).rejects.toMatchObject({ code: 'ENETUNREACH' })
  })

  it('ends after its time, or when it is stopped', async () => {
    const { port } = await silentServer('127.0.0.9')
    await expect(dial(inTurn('127.0.0.9'), port, 300).socket).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    const stopped = dial(inTurn('127.0.0.9'), port, TIMEOUT_MS)
    stopped.stop(new Error('closed'))
    await expect(stopped.socket).rejects.toThrow('closed')
  })
})
