import { createCertificate, type Receiver, startReceiver } from '@quickquote/dev-servers'
import { afterEach, expect, it } from 'vitest'
import { type Host, openHost } from './host.ts'

const certificate = await createCertificate()

let host: Host
let receiver: Receiver

afterEach(async () => {
  await host.close()
  await receiver.stop()
})

it('without an OpenTelemetry SDK, telemetry runs no query and stores nothing', async () => {
  receiver = await startReceiver({ certificate })
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
