import { ConfigurationError, type Integrations } from '@quickquote/core'
import { openHealthServer } from '../health/health-server.ts'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import type { DeliveryWorkerOptions } from '../options.ts'
import { createDeliveryWorker, type DeliveryWorker } from '../worker.ts'

type Workers = Pick<DeliveryWorker, 'stop'>

/** Starts a worker for each database of a host with several. An unavailable one delays no other: its worker starts later. */
export async function startWorkers(
  databases: readonly Integrations[],
  { health, ...options }: Omit<DeliveryWorkerOptions, 'integrations'>,
): Promise<Workers> {
  if (health?.metrics) {
    throw new ConfigurationError(
      'QUICKQUOTE_METRICS cannot be on with several databases: run one process for each of them.',
    )
  }
  const workers = databases.map((integrations) => createDeliveryWorker({ ...options, integrations }))
  const server = health && (await openHealthServer(health, () => healthOf(workers)))
  const [first] = databases
  if (server) first?.settings.logger.info({ port: server.port }, 'the health checks are available')
  const starts = workers.map((worker, index) =>
    starting(worker, `the worker of database ${index + 1} fails to start`),
  )
  return {
    async stop(stopOptions) {
      await Promise.all([...starts, ...workers].map((each) => each.stop(stopOptions)))
      await server?.close()
    },
  }
}

/** Tries until the worker has started. */
function starting(worker: DeliveryWorker, failure: string): Workers {
  const backoff = createBackoff(worker.integrations.settings.logger, failure)
  const alarm = createAlarm(() =>
    worker.start().then(
      () => backoff.succeeded(),
      (error: unknown) => alarm.ringIn(backoff.failed(error)),
    ),
  )
  alarm.ringIn(0)
  return alarm
}

/** The process is ready if one worker is. */
function healthOf(workers: readonly DeliveryWorker[]) {
  const databases = workers.map((worker) => worker.health())
  return { ready: databases.some(({ ready }) => ready), databases }
}
