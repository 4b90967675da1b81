import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { certificate, openHost, openReceiver } from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

describe('a worker whose logger fails', () => {
  it.each(['throws', 'rejects'])('(it %s) still delivers, and keeps running', async (LOGGER) => {
    const receiver = await openReceiver()
    const host = await openHost()
    await host.createEndpoint(receiver.url)
    const remote = runWorker({ DATABASE_URL: host.databaseUrl, CA: certificate.cert, LOGGER })
    await remote.printed('running')

    for (let n = 0; n < 3; n += 1) await host.finishStep()

    await expect.poll(() => host.attempts()).toMatchObject(Array(3).fill({ attempt: 1, status: 'succeeded' }))
    const isOver = await Promise.race([remote.exited.then(() => true), sleep(200, false)])
    expect(isOver).toBe(false)
  })
})
