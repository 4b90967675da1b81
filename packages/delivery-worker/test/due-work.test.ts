import { randomUUID } from 'node:crypto'
import type { Receiver } from '@quickquote/dev-servers'
import { beforeEach, expect, it } from 'vitest'
import { deliverDue, startDue } from '../src/index.ts'
import { type Host, NO_WAITING, ORGANIZATION, openHost, openReceiver, STEP_EVENT } from './support/host.ts'

let receiver: Receiver
let host: Host
let calls = 0

beforeEach(async () => {
  calls = 0
  receiver = await openReceiver()
  host = await openHost({
    delivery: { ...NO_WAITING, maxAttempts: 3 },
    start: { maxAttempts: 2, backoffMs: 1 },
    pipeline: {
      async start() {
        calls += 1
        throw new Error('no queue')
      },
    },
  })
})

it('deliverDue sends everything due of every organization, and leaves nothing leased', async () => {
  const { integrations } = host
  const other = randomUUID()
  await host.createEndpoint(`${receiver.url}/one`)
  await host.createEndpoint(`${receiver.url}/other`, other)
  await host.finishStep()
  await host.finishStep(other)
  const attempts = await deliverDue({ integrations, ca: receiver.certificate.cert })
  expect(attempts.map(({ status, delivery }) => [status, delivery.event_type])).toEqual([
    ['succeeded', STEP_EVENT],
    ['succeeded', STEP_EVENT],
  ])
  // Oldest event first.
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/one', '/other'])
  expect(await host.pending()).toEqual([])
  expect(await host.sql`select from quickquote.workers`).toHaveLength(0)
  expect(await deliverDue({ integrations })).toEqual([])
})

it('deliverDue trusts only the given certificates, and continues until due retries are exhausted', async () => {
  await host.createEndpoint(receiver.url)
  await host.finishStep()
  let attempts: string[] = []
  // A retry due a millisecond later may be left for the next call.
  while (attempts.length < 3) {
    const made = await deliverDue({ integrations: host.integrations })
    attempts = [...attempts, ...made.map(({ status, error }) => `${status}: ${error}`)]
  }
  expect(attempts).toEqual([
    expect.stringMatching(/^failed: .*certificate/),
    expect.stringMatching(/^failed: .*certificate/),
    expect.stringMatching(/^exhausted: .*certificate/),
  ])
  expect(receiver.requests).toEqual([])
})

it('startDue calls the hook like a worker: after the last attempt the quote has failed', async () => {
  const { integrations } = host
  const id = await host.startQuote()
  let tries: Awaited<ReturnType<typeof startDue>> = []
  while (tries.length < 2) tries = [...tries, ...(await startDue({ integrations }))]
  expect(calls).toBe(2)
  expect(tries).toMatchObject([
    { attempt: 1, quote: { id }, result: { kind: 'failed', retryAt: expect.any(Date) } },
    { attempt: 2, quote: { id }, result: { kind: 'failed', retryAt: null } },
  ])
  expect(await integrations.quotations.get(ORGANIZATION, id)).toMatchObject({
    status: 'failed',
    error_code: 'PIPELINE_START_FAILED',
  })
  expect(await startDue({ integrations })).toEqual([])
  expect(await host.sql`select from quickquote.pipeline_starts`).toHaveLength(0)
})
