import type { DeliveryWorkerOptions } from '@quickquote/delivery-worker'
import type { Child, Service } from '@quickquote/dev-servers/child'
import type { BenchContext } from '../bench.ts'
import { openOutbox } from './outbox.ts'
import type { FastReceiver } from './receiver.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A way to deliver, ready to run. */
export interface DeliverySide {
  fill(deliveries: number): Promise<void>
  /** Returns the seconds it took. */
  drain(deliveries: number): Promise<number>
  cpuSeconds(): Promise<number>
  readonly process: Pick<Child<Service>, 'pause' | 'resume'>
}

export type OwnOptions = Pick<DeliveryWorkerOptions, 'concurrency' | 'socketsPerOrigin'> & {
  readonly standardWebhooks?: boolean
  /** Default: many. */
  readonly endpoints?: number
}

const ENDPOINTS = 200
/** More than can be in flight. */
const SLACK = 600

/** Our worker, with a full outbox. */
export async function ownSide(
  context: BenchContext,
  { origin, ca }: FastReceiver,
  { standardWebhooks, endpoints = ENDPOINTS, ...options }: OwnOptions,
): Promise<DeliverySide> {
  const urls = Array.from({ length: endpoints }, (_, n) => `${origin}/${n}`)
  const { databaseUrl, fill } = await openOutbox(context, { urls })
  const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
  await worker.call('open', { databaseUrl, ca, options, standardWebhooks })
  return {
    fill: (count) => fill(count + 2 * SLACK),
    drain: (count) => worker.call('drain', count, SLACK),
    cpuSeconds: () => worker.call('cpuSeconds'),
    process: worker,
  }
}
