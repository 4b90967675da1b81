import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  NO_WAITING,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

const NEXT_EVENT = 'quotation.functional_specification.completed'
const PATIENTLY = { timeout: 30_000 }

let host: Host
let receiver: Receiver

/** An endpoint that wants order. */
async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}): Promise<string> {
  receiver = await openReceiver(respond)
  host = await openHost(options)
  const admin = adminOf(ORGANIZATION)
  const { id } = await host.createEndpoint(receiver.url)
  const change = { ordering: 'quotation' as const, events: [STEP_EVENT, NEXT_EVENT] }
  await host.integrations.webhookEndpoints.update(admin, id, change)
  return id
}

/** A quote with two events, the second of which waits for the first. */
async function finishTwoSteps(): Promise<string> {
  const id = await host.finishStep()
  await host.integrations.pipeline(id).stepCompleted('functional_specification')
  return id
}

const quotationOf = (rawBody: Buffer): string => JSON.parse(rawBody.toString()).data.quotation_id

/** Quotation and number of each request. */
const seen = () =>
  receiver.requests.map(({ rawBody, headers }) => [quotationOf(rawBody), headers['x-service-event-sequence']])

/** Resolves once a delivery waits for another one. */
const oneIsHeldBack = () =>
  expect
    .poll(() => host.sql`select from quickquote.deliveries where due_at = 'infinity'`, PATIENTLY)
    .toHaveLength(1)

it('an endpoint that wants order gets the events of a quotation in order, and other quotations meanwhile', async () => {
  let failing = ''
  await open(
    ({ rawBody }) => {
      const { type, data } = JSON.parse(rawBody.toString())
      return { status: type === STEP_EVENT && data.quotation_id === failing ? 500 : 204 }
    },
    { delivery: { ...NO_WAITING, backoffMs: 300_000 } },
  )
  failing = await finishTwoSteps()
  await host.createWorker({ ca: certificate.cert }).start()

  await expect.poll(() => host.attempts(), PATIENTLY).toMatchObject([{ status: 'failed' }])
  const late = failing
  failing = ''
  // Its success shows that the endpoint responds again, five minutes before the retry was due.
  const other = await host.finishStep()

  await receiver.waitFor(4)
  expect(seen()).toEqual([
    [late, '1'],
    [other, '1'],
    [late, '1'],
    [late, '2'],
  ])
})

it('the next event is sent although the worker of the previous one was killed while the endpoint was locked', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const endpoint = await open(async () => {
    if (receiver.requests.length === 1) await answered
    return { status: 204 }
  })
  const remote = runWorker({ DATABASE_URL: host.databaseUrl, CA: certificate.cert })
  await remote.printed('running')
  const quotation = await finishTwoSteps()
  await receiver.next()
  await oneIsHeldBack()

  await host.sql.begin(async (member) => {
    await member`select from quickquote.webhook_endpoints where id = ${endpoint} for no key update`
    answer()
    await expect.poll(() => host.attempts(), PATIENTLY).toMatchObject([{ status: 'succeeded' }])
    remote.signal('SIGKILL')
    await remote.exited
  })
  await host.createWorker({ ca: certificate.cert }).start()

  await receiver.waitFor(2)
  expect(seen()).toEqual([
    [quotation, '1'],
    [quotation, '2'],
  ])
})

it('a worker finds what waits for nobody', async () => {
  await open()
  await finishTwoSteps()
  await host.sql`update quickquote.deliveries set due_at = 'infinity'`
  await host.createWorker({ ca: certificate.cert }).start()

  await receiver.waitFor(2)
})

it('Retry-After holds, whatever else the endpoint accepts meanwhile', async () => {
  let busy = ''
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await open(async ({ rawBody }) => {
    if (quotationOf(rawBody) === busy) return { status: 503, headers: { 'retry-after': '3600' } }
    await answered
    return { status: 204 }
  })
  busy = await finishTwoSteps()
  const other = await host.finishStep()
  const worker = host.createWorker({ ca: certificate.cert })
  await worker.start()
  await expect.poll(() => host.attempts(), PATIENTLY).toMatchObject([{ http_status: 503 }])

  answer()
  await expect
    .poll(() => host.attempts(), PATIENTLY)
    .toContainEqual(expect.objectContaining({ status: 'succeeded' }))
  await worker.idle()

  expect(seen()).toHaveLength(2)
  expect(seen()).toEqual(
    expect.arrayContaining([
      [busy, '1'],
      [other, '1'],
    ]),
  )
})
