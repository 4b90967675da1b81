import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { startReceiver } from '@quickquote/dev-servers'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest'
import { type Host, type HostOptions, openHost, useDatabase } from './support/host.ts'
import { createEndpoint, failQuote } from './support/webhooks.ts'

const database = useDatabase()
let stderr: MockInstance<typeof console.error>

beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** A host whose pipeline does not start. */
async function serve(fastify: HostOptions['fastify'], integrations: HostOptions['integrations'] = {}) {
  const pipeline = {
    start: () => Promise.reject(new Error('The queue is gone.')),
    signDocumentUrl: () => Promise.reject(new Error('The bucket is gone.')),
    status: () => Promise.reject(new Error('The dashboard is gone.')),
  }
  const host = await openHost({
    databaseUrl: database.url,
    fastify: { ...fastify },
    givesLogger: false,
    integrations: { pipeline, ...integrations },
  })
  return host
}

/** Typical failures in a newcomer's first hour: a hook, a start, a certificate. */
async function failEverywhere(host: Host): Promise<void> {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.stop())
  const { key } = await host.createKey()
  const id = await host.startQuotation(key)
  expect((await host.call('GET', `/v1/integrations/quotations/${id}/pipeline`, { key })).status).toBe(503)
  await createEndpoint(host, { url: receiver.url })
  await failQuote(host, 'A roof')
  const worker = createDeliveryWorker({ integrations: host.integrations })
  await worker.start()
  onTestFinished(() => worker.stop({ deadlineMs: 0 }))
}

const FAILURES = [
  ['a hook of the host failed', 'The dashboard is gone.'],
  ['a request to the integrations API failed', 'SERVICE_UNAVAILABLE'],
  ['a pipeline could not be started', 'The queue is gone.'],
  ['delivery.attempted', 'self-signed certificate'],
] as const

async function expectTold(lines: () => readonly string[]): Promise<void> {
  const missing = () =>
    FAILURES.filter((parts) => !lines().some((line) => parts.every((part) => line.includes(part))))
  await expect.poll(missing).toEqual([])
}

const told = () => stderr.mock.calls.map(([line]) => String(line))

describe('Without a logger', () => {
  it('anywhere, failures of a hook, a request, a start and a delivery go to stderr', async () => {
    const host = await serve({ logger: false })
    await failEverywhere(host)
    await expectTold(told)
    for (const line of told()) expect(line).toMatch(/^\[quickquote\] (warning|error): /)
  })

  it('of its own, createIntegrations uses that of the app, and so does a worker in the same process', async () => {
    const host = await serve({})
    await failEverywhere(host)
    await expectTold(() => host.logs)
    expect(told()).toEqual([])
  })

  it('of its own, a silent app stays silent', async () => {
    const host = await serve({ logger: { level: 'silent' } })
    await host.integrations
      .pipeline(crypto.randomUUID())
      .stepStarted('work_breakdown')
      .catch(() => {})
    const { key } = await host.createKey()
    const id = await host.startQuotation(key)
    await host.call('GET', `/v1/integrations/quotations/${id}/pipeline`, { key })
    expect(told()).toEqual([])
  })
})

it('A given logger is the only one used', async () => {
  const lines: string[] = []
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const host = await serve(
    { logger: false },
    { logger: { debug: write, info: write, warn: write, error: write } },
  )
  await failEverywhere(host)
  await expectTold(() => lines)
  expect(told()).toEqual([])
})
