// A worker in a separate process, for tests that kill it or watch it end. Runs the built packages.
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const {
  DATABASE_URL,
  CA,
  STOP_AFTER,
  RUN_ONCE_FOR,
  HEARTBEAT_MS = '5000',
  DEAD_AFTER_MS,
  LOGGER,
  HEALTH,
  SOCKETS = '16',
  KILLED_AT_COMMIT_OF,
} = process.env

const attempted = (_, message) => {
  if (message === 'delivery.attempted') attempts += 1
}
let attempts = 0

const print = (_, message) => console.log(message)
const failing = () => {
  throw new Error('The disk is full.')
}
const LOGGERS = {
  prints: { debug() {}, info: attempted, warn: print, error: print },
  throws: { debug: failing, info: failing, warn: failing, error: failing },
  rejects: {
    debug() {},
    info: async () => failing(),
    warn: async () => failing(),
    error: async () => failing(),
  },
}

const storage = drizzleStorage({ connectionString: DATABASE_URL })
/** Ends the process once a delivery has been leased to its worker, before the worker knows. */
const listen = ({ offer, ...listener }) =>
  storage.workers.listen({
    ...listener,
    offer: (organizationId) => ({
      ...offer(organizationId),
      end: () => process.kill(process.pid, 'SIGKILL'),
    }),
  })
const isKilled = KILLED_AT_COMMIT_OF !== undefined

const integrations = integrationsOn(
  isKilled ? { ...storage, workers: { ...storage.workers, listen } } : storage,
  {
    logger: LOGGERS[LOGGER] ?? { debug() {}, info: attempted, warn() {}, error: console.error },
    pipeline: {
      start: () => {
        console.log('pipeline started')
        return new Promise(() => {})
      },
    },
  },
)
const worker = createDeliveryWorker({
  integrations,
  ca: CA,
  socketsPerOrigin: Number(SOCKETS),
  heartbeatMs: Number(HEARTBEAT_MS),
  // The hook never returns.
  pipelineStarts: RUN_ONCE_FOR === undefined,
  deadAfterMs: Number(DEAD_AFTER_MS ?? 3 * Number(HEARTBEAT_MS)),
})
if (RUN_ONCE_FOR !== undefined) {
  console.log(JSON.stringify(await worker.runOnce({ forMs: Number(RUN_ONCE_FOR) })))
  await integrations.close()
} else {
  await worker.start()
  console.log('running')
}
if (isKilled) await integrations.pipeline(KILLED_AT_COMMIT_OF).stepCompleted('requirement_analysis')
if (HEALTH !== undefined) console.log(JSON.stringify(worker.health()))

if (STOP_AFTER !== undefined) {
  while (attempts < Number(STOP_AFTER)) await new Promise((resolve) => setTimeout(resolve, 5))
  await worker.stop({ deadlineMs: 1000 })
  await integrations.close()
  console.log('stopped')
}
