import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import { certificate, type Host, type HostOptions, openHost, openReceiver } from './support/host.ts'

let host: Host
let receiver: Receiver

async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}) {
  receiver = await openReceiver(respond)
  host = await openHost(options)
  await host.createEndpoint(receiver.url)
  return host.createWorker({ ca: certificate.cert })
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

it('idle() waits for starts, and for the deliveries of what they report', async () => {
  const worker = await open(undefined, {
    pipeline: { start: async (_, { report }) => report.stepCompleted('requirement_analysis') },
  })
  await worker.start()
  for (let round = 1; round <= 3; round += 1) {
    await Promise.all([host.startQuote(), host.startQuote()])
    await worker.idle()
    expect(receiver.requests).toHaveLength(2 * round)
    expect(await host.pending()).toEqual([])
  }
})

it('idle() waits for an attempt in progress and its record', async () => {
  const answer = gate()
  const worker = await open(async () => {
    await answer.opened
    return { status: 204 }
  })
  await host.finishStep()
  await worker.start()
  const order: string[] = []
  const idle = worker.idle().then(() => order.push('idle'))
  await receiver.waitFor(1)
  expect(await host.pending()).toMatchObject([{ leased_by: expect.any(String) }])
  order.push('answered')
  answer.open()
  await idle
  expect(order).toEqual(['answered', 'idle'])
  expect(await host.attempts()).toMatchObject([{ status: 'succeeded' }])
})

it('idle() does not wait for a retry that is due later', async () => {
  const worker = await open(() => ({ status: 503 }), { delivery: { backoffMs: 60_000 } })
  await host.finishStep()
  await worker.start()
  await worker.idle()
  expect(await host.attempts()).toMatchObject([{ status: 'failed', attempt: 1 }])
  expect(await host.pending()).toHaveLength(1)
})

it('idle() rejects if the worker is not running, or stops meanwhile', async () => {
  const worker = await open(() => new Promise(() => {}))
  await expect(worker.idle()).rejects.toThrow('The worker is not running.')
  await host.finishStep()
  await worker.start()
  const idle = expect(worker.idle()).rejects.toThrow('The worker is not running.')
  await receiver.waitFor(1)
  await worker.stop({ deadlineMs: 0 })
  await idle
})
