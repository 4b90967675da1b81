import type { Receiver } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'

let host: Host
let receiver: Receiver

it('without an OpenTelemetry SDK, telemetry runs no query and stores nothing', async () => {
  receiver = await openReceiver()
  host = await openHost()
  const { storage } = host.integrations
  const asked: string[] = []
  const { readQueueState, findDeliveryOrigins } = storage.telemetry
  Object.assign(storage.telemetry, {
    readQueueState: (now: Date) => {
      asked.push('readQueueState')
      return readQueueState(now)
    },
    findDeliveryOrigins: (ids: string[]) => {
      asked.push('findDeliveryOrigins')
      return findDeliveryOrigins(ids)
    },
  })
  await host.createEndpoint(receiver.url)
  await host.createWorker({ ca: certificate.cert }).start()

  await host.finishStep()

  await expect.poll(() => host.attempts()).toMatchObject([{ status: 'succeeded' }])
  expect(asked).toEqual([])
  expect(await host.sql`select traceparent from quickquote.events`).toEqual([{ traceparent: null }])
})
