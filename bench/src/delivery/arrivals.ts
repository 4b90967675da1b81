import { type Certificate, createCertificate } from '@quickquote/dev-servers'
import type { BenchContext } from '../bench.ts'
import type { Arrival, NodeReceiver } from './node-receiver.ts'

/** A receiver that records when each event first arrived. */
export interface ArrivalReceiver {
  readonly origin: string
  readonly ca: string
  /** The first arrivals since the last call, by event. */
  take(): Promise<ReadonlyMap<string, number>>
  /** All arrivals since the last call. */
  takeAll(): Promise<readonly Arrival[]>
}

export async function startArrivalReceiver(
  context: BenchContext,
  shared?: Certificate,
): Promise<ArrivalReceiver> {
  const certificate = shared ?? (await createCertificate())
  const receiver = context.start<NodeReceiver>('./delivery/node-receiver.js')
  const origin = await receiver.call('listen', { certificate, keepsArrivals: true })
  return {
    origin,
    ca: certificate.cert,
    // Of two entries with the same key, the last one wins.
    take: async () => new Map((await receiver.call('takeArrivals')).toReversed()),
    takeAll: () => receiver.call('takeArrivals'),
  }
}

/** The percentile of the values, as a share. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
