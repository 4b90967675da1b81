// One worker, to be killed, paused or stopped.
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeliveryWorker, type DeliveryWorker } from '@quickquote/delivery-worker'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { serveParent } from '../child.ts'
import { createChaosIntegrations } from './integrations.ts'

/** Retries a start while the database is down, as a process supervisor would. */
const START_AGAIN_MS = 200

const chaosWorker = { start, stop }
export type ChaosWorker = typeof chaosWorker
serveParent(chaosWorker)

let worker: DeliveryWorker | undefined

async function start({ databaseUrl, ca }: { databaseUrl: string; ca: string }): Promise<void> {
  worker = createDeliveryWorker({
    integrations: createChaosIntegrations(drizzleStorage({ connectionString: databaseUrl })),
    ca,
    pollIntervalMs: 500,
    heartbeatMs: 1000,
    deadAfterMs: 5000,
  })
  while (!(await worker.start().then(isTrue, isFalse))) await sleep(START_AGAIN_MS)
}

async function stop(): Promise<void> {
  await worker?.stop()
}

function isTrue(): boolean {
  return true
}

function isFalse(): boolean {
  return false
}
