import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { monotonicMs } from '../usage.ts'
import type { ArrivalReceiver } from './arrivals.ts'
import type { Endpoint, Outbox } from './outbox.ts'
import { benchEvent } from './payload.ts'

/** The longest wait for an arrival. */
const PATIENCE_MS = 15_000

/** Records events one by one, over the endpoints in turn. Returns the milliseconds until each arrived. */
export async function emit(
  { storage, endpoints }: Outbox,
  receiver: ArrivalReceiver,
  { events, everyMs }: { events: number; everyMs: number },
): Promise<number[]> {
  await receiver.take()
  const committed = new Map<string, Promise<number>>()
  const begun = monotonicMs()
  for (let n = 0; n < events; n += 1) {
    const waitMs = begun + n * everyMs - monotonicMs()
    if (waitMs > 0) await sleep(waitMs)
    const endpoint = endpoints[n % endpoints.length]
    if (endpoint === undefined) throw new Error('There are no endpoints.')
    const id = uuidv7()
    committed.set(id, record(storage, id, endpoint))
  }
  const arrived = new Map<string, number>()
  for (const until = monotonicMs() + PATIENCE_MS; monotonicMs() < until; await sleep(50)) {
    for (const [id, at] of await receiver.take()) if (committed.has(id)) arrived.set(id, at)
    if (arrived.size === events) break
  }
  const given = monotonicMs()
  const times = [...committed].map(async ([id, at]) => (arrived.get(id) ?? given) - (await at))
  return Promise.all(times)
}

/** Returns the time of the commit. */
async function record(storage: Outbox['storage'], id: string, { organizationId }: Endpoint): Promise<number> {
  await storage.events.record(benchEvent(id, organizationId))
  return monotonicMs()
}
