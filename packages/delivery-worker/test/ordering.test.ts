import { memberOf } from '@quickquote/core'
import type { Receiver } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import {
  certificate,
  type Host,
  NO_WAITING,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './host.ts'

const NEXT_EVENT = 'quotation.functional_specification.completed'

let host: Host
let receiver: Receiver

it('an endpoint that wants order gets the events of a quotation in order, and other quotations meanwhile', async () => {
  let failing = ''
  receiver = await openReceiver(({ rawBody }) => {
    const { type, data } = JSON.parse(rawBody.toString())
    return { status: type === STEP_EVENT && data.quotation_id === failing ? 500 : 204 }
  })
  host = await openHost({ delivery: { ...NO_WAITING, backoffMs: 300_000 } })
  const admin = memberOf(
    { memberId: 'admin', organizations: [{ id: ORGANIZATION, role: 'admin' }] },
    ORGANIZATION,
  )
  const { id } = await host.createEndpoint(receiver.url)
  const change = { ordering: 'quotation' as const, events: [STEP_EVENT, NEXT_EVENT] }
  await host.integrations.webhookEndpoints.update(admin, id, change)
  failing = await host.finishStep()
  await host.integrations.pipeline(failing).stepCompleted('functional_specification')
  await host.createWorker({ ca: certificate.cert }).start()

  await expect.poll(() => host.attempts(), { timeout: 30_000 }).toMatchObject([{ status: 'failed' }])
  const late = failing
  failing = ''
  // Its success shows that the endpoint responds again, five minutes before the retry was due.
  const other = await host.finishStep()

  const requests = await receiver.waitFor(4)
  const seen = requests.map(({ rawBody, headers }) => {
    const { data } = JSON.parse(rawBody.toString())
    return [data.quotation_id, headers['x-service-event-sequence']]
  })
  expect(seen).toEqual([
    [late, '1'],
    [other, '1'],
    [late, '1'],
    [late, '2'],
  ])
})
