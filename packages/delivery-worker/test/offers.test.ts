import { randomUUID } from 'node:crypto'
import type { Places } from '@quickquote/core/internal'
import { integrationsOn } from '@quickquote/dev-servers/host'
import type { DrizzleStorage } from '@quickquote/storage-drizzle'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HeldDeliveries } from '../src/deliveries/held-deliveries.ts'
import { createOffers } from '../src/deliveries/offers.ts'
import { createDeliveryWorker } from '../src/index.ts'
import {
  certificate,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './support/host.ts'

/** A worker in the process that records events. Its rounds only record outcomes, so that it sends only what it is given. */
async function open(options: HostOptions = {}, offered: (places: Places) => Places = (places) => places) {
  const receiver = await openReceiver()
  const host = await openHost(options)
  await host.createEndpoint(receiver.url)
  const whole = host.integrations.storage as DrizzleStorage
  const storage: DrizzleStorage = {
    ...whole,
    deliveries: { ...whole.deliveries, round: (wanted) => whole.deliveries.round({ ...wanted, limit: 0 }) },
    workers: {
      ...whole.workers,
      listen: ({ offer, ...listener }) =>
        whole.workers.listen({
          ...listener,
          offer(organizationId) {
            const places = offer?.(organizationId)
            return places && offered(places)
          },
        }),
    },
  }
  const integrations = integrationsOn(storage, { allowAddresses: ['127.0.0.1'], ...options })
  const worker = createDeliveryWorker({ integrations, ca: certificate.cert })
  onTestFinished(() => worker.stop({ deadlineMs: 0 }))
  await worker.start()
  return { host, receiver, worker }
}

describe('a webhook is sent by the worker of the process that records its event, without a round', () => {
  it('and leaves the attempt that every request has', async () => {
    const { host, receiver } = await open()
    const quotationId = await host.finishStep()
    const { headers, rawBody } = await receiver.next()
    expect(headers['x-service-event-type']).toBe(STEP_EVENT)
    expect(JSON.parse(String(rawBody))).toMatchObject({ data: { quotation_id: quotationId } })
    await expect.poll(() => host.pending()).toEqual([])
    expect(await host.attempts()).toMatchObject([{ attempt: 1, status: 'succeeded', http_status: 204 }])
  })

  it('never to the endpoint of another organization', async () => {
    const { host, receiver } = await open()
    await host.finishStep(randomUUID())
    await host.finishStep()
    await receiver.next()
    await expect.poll(() => host.pending()).toEqual([])
    expect(receiver.requests).toHaveLength(1)
    expect(await host.sql`select distinct organization_id from quickquote.delivery_attempts`).toEqual([
      { organization_id: ORGANIZATION },
    ])
  })
})

it('a worker that is stopped at the moment of the commit returns the lease', async () => {
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const { host, receiver, worker } = await open({}, (places) => ({
    ...places,
    end: (leased) => void stopped.then(() => places.end(leased)),
  }))
  await host.finishStep()
  expect(await host.pending()).toMatchObject([{ leased_by: expect.any(String), attempt: 1 }])
  const end = worker.stop()
  stop()
  await end
  expect(await host.pending()).toMatchObject([{ leased_by: null, attempt: 0 }])
  expect(await host.sql`select * from quickquote.workers`).toEqual([])
  expect(receiver.requests).toEqual([])
})

describe('a worker offers no places', () => {
  const held = new HeldDeliveries()
  const round = {
    claimed: [],
    nextDueAt: null,
    isCatchingUp: false,
    isSlow: false,
    memory: undefined as never,
  }

  function offersOf({ isFresh = true, mayTake = true, concurrency = 512 } = {}) {
    return createOffers({
      workerId: randomUUID(),
      perEndpoint: 8,
      concurrency,
      held,
      now: () => new Date(),
      lifeSigns: { isFresh: () => isFresh, isAlone: () => true, holding: () => () => true },
      mayTake: () => mayTake,
      take() {},
      look() {},
    })
  }

  it.each([
    ['others may take it for dead', { isFresh: false }],
    ['it stops, or the database is away', { mayTake: false }],
    ['one organization could take most of its places', { concurrency: 15 }],
  ])('if %s', (_, state) => {
    expect(offersOf().offer(ORGANIZATION)).toBeDefined()
    expect(offersOf(state).offer(ORGANIZATION)).toBeUndefined()
  })

  it('beyond a few, and for one event of an organization at a time', () => {
    const { offer } = offersOf()
    const first = offer(ORGANIZATION)
    expect(offer(ORGANIZATION)).toBeUndefined()
    expect(offer(randomUUID())).toBeDefined()
    expect(offer(randomUUID())).toBeUndefined()
    first?.end([])
    expect(offer(ORGANIZATION)).toBeDefined()
  })

  it('for a while after it did not hear whether something was leased', () => {
    const { offer } = offersOf()
    offer(ORGANIZATION)?.end('unknown')
    expect(offer(ORGANIZATION)).toBeUndefined()
  })

  it.each([
    ['claimed something', { claimed: [{} as never] }],
    ['found many dead index entries', { isSlow: true }],
  ])('after a round that %s', async (_, result) => {
    const { offer, round: run } = offersOf()
    await run([], async () => ({ ...round, ...result }))
    expect(offer(ORGANIZATION)).toBeUndefined()
    await run([], async () => round)
    expect(offer(ORGANIZATION)).toBeDefined()
  })
})
