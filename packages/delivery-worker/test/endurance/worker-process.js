// One worker, to be killed, paused or stopped.
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { footprint, serveParent } from '@quickquote/dev-servers/child'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { createEnduranceIntegrations, LIFE } from './integrations.js'

/** Retries a start while the database is down, as a process supervisor would. */
const START_AGAIN_MS = 200
serveParent({ start, stop, footprint })
let worker
async function start({ databaseUrl, ca }) {
  worker = createDeliveryWorker({
    integrations: createEnduranceIntegrations(drizzleStorage({ connectionString: databaseUrl })),
    ca,
    ...LIFE,
  })
  while (
    !(await worker.start().then(
      () => true,
      () => false,
    ))
  )
    await sleep(START_AGAIN_MS)
}
async function stop() {
  await worker?.stop()
}
