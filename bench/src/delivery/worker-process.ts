// One worker of ours, in a process of its own.
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from '@quickquote/delivery-worker'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { serveParent } from '../child.ts'
import { ownCpuSeconds, peakMemory, watchMemory } from '../usage.ts'
import { createBenchIntegrations } from './outbox.ts'

interface WorkerSettings {
  readonly databaseUrl: string
  readonly ca: string
  readonly options?: Pick<DeliveryWorkerOptions, 'concurrency' | 'socketsPerOrigin'>
  readonly standardWebhooks?: boolean | undefined
}

const workerProcess = {
  open,
  start,
  stop,
  drain,
  settled,
  cpuSeconds: ownCpuSeconds,
  watchMemory,
  peakMemory,
}
export type WorkerProcess = typeof workerProcess
serveParent(workerProcess)

let worker: DeliveryWorker | undefined
let recorded = 0
let onRecorded = () => {}

async function open({ databaseUrl, ca, options, standardWebhooks = false }: WorkerSettings): Promise<void> {
  const storage = drizzleStorage({ connectionString: databaseUrl })
  const integrations = createBenchIntegrations(
    {
      ...storage,
      deliveries: {
        ...storage.deliveries,
        async settleAndClaim(round) {
          const claim = await storage.deliveries.settleAndClaim(round)
          recorded += round.settled.length
          onRecorded()
          return claim
        },
      },
    },
    { standardWebhooks },
  )
  worker = createDeliveryWorker({ integrations, ca, ...options })
}

async function start(): Promise<void> {
  await worker?.start()
}

/** What is under way is broken off. */
async function stop(): Promise<void> {
  await worker?.stop({ deadlineMs: 0 })
}

/** Resolves when so many attempts are committed, since `open`. */
async function settled(deliveries: number): Promise<void> {
  await new Promise<void>((resolve) => {
    onRecorded = () => {
      if (recorded >= deliveries) resolve()
    }
    onRecorded()
  })
}

/**
 * Runs the worker until so many more attempts are committed, and those of the slack before and after them. Returns the seconds
 * without the slack: its sockets are open when they begin, and it is as busy at their end.
 */
async function drain(deliveries: number, slack: number): Promise<number> {
  const from = recorded + slack
  await start()
  await settled(from)
  const begun = performance.now()
  await settled(from + deliveries)
  const seconds = (performance.now() - begun) / 1000
  await settled(from + deliveries + slack)
  await stop()
  return seconds
}
