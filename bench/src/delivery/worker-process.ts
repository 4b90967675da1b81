// One of our workers, in its own process.
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from '@quickquote/delivery-worker'
import { serveParent } from '@quickquote/dev-servers/child'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { ownCpuSeconds, peakMemory, watchMemory } from '../usage.ts'
import { createBenchIntegrations } from './outbox.ts'

interface WorkerSettings {
  readonly databaseUrl: string
  readonly ca: string
  readonly options?: Pick<DeliveryWorkerOptions, 'concurrency' | 'socketsPerOrigin'>
  readonly standardWebhooks?: boolean | undefined
  /** `delivery.notify`. Default true. */
  readonly notify?: boolean
}

const workerProcess = {
  open,
  start,
  stop,
  drain,
  settled,
  progress: async () => ({ recorded, rounds }),
  cpuSeconds: ownCpuSeconds,
  watchMemory,
  peakMemory,
}
export type WorkerProcess = typeof workerProcess
serveParent(workerProcess)

let worker: DeliveryWorker | undefined
let recorded = 0
let rounds = 0
let onRecorded = () => {}

async function open(settings: WorkerSettings): Promise<void> {
  const { databaseUrl, ca, options, standardWebhooks = false, notify = true } = settings
  const storage = drizzleStorage({ connectionString: databaseUrl })
  const integrations = createBenchIntegrations(
    {
      ...storage,
      deliveries: {
        ...storage.deliveries,
        async round(round) {
          const claim = await storage.deliveries.round(round)
          recorded += round.settled.length
          rounds += 1
          onRecorded()
          return claim
        },
      },
    },
    { standardWebhooks, notify },
  )
  worker = createDeliveryWorker({ integrations, ca, ...options })
}

async function start(): Promise<void> {
  await worker?.start()
}

/** Aborts deliveries in flight. */
async function stop(): Promise<void> {
  await worker?.stop({ deadlineMs: 0 })
}

/** Resolves when `deliveries` attempts have been committed since `open`. */
async function settled(deliveries: number): Promise<void> {
  await new Promise<void>((resolve) => {
    onRecorded = () => {
      if (recorded >= deliveries) resolve()
    }
    onRecorded()
  })
}

/**
 * Runs the worker until `deliveries` more attempts are committed, plus slack before and after. Returns the seconds without
 * the slack, so that it is equally busy at both ends, with open sockets.
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
