import type { Integrations } from '@quickquote/core'
import type { ClaimedDelivery, RoundMemory, SettledAttempt, UnbegunDelivery } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createClaiming } from '../lib/claiming.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import type { WorkLoop } from '../lib/work-loop.ts'
import type { DeliveryTelemetry } from '../telemetry/delivery-telemetry.ts'
import type { LifeSigns } from '../upkeep/heartbeat.ts'
import type { Dispatch } from './dispatch.ts'
import { createPace } from './pace.ts'

export interface DeliveryLoop extends WorkLoop {
  /** The number of leases held. After a stop: those with unrecorded outcomes. */
  leasesLeft(): number
  /** Attempts in flight. */
  inFlight(): number
  /** Milliseconds since the database last claimed or recorded successfully; 0 if it is working. */
  failingForMs(): number
}

export interface DeliveryLoopOptions {
  readonly integrations: Pick<Integrations, 'storage' | 'settings'>
  readonly workerId: string
  readonly lifeSigns: LifeSigns
  readonly dispatch: Dispatch
  readonly telemetry: Pick<DeliveryTelemetry, 'originsOf'>
  readonly concurrency: number
  readonly pollIntervalMs: number
  /** Called when the deliveries of an endpoint must first follow a change of it. */
  readonly onCatchingUp: () => void
}

/** Records this many outcomes without waiting for more; otherwise they wait for as many as are still in flight. */
const FULL_BATCH = 400

/**
 * Claims deliveries, has them dispatched, and records the outcomes with the next claim. Outcomes stay in memory until
 * the database has them.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { workerId, lifeSigns, dispatch, telemetry, concurrency, pollIntervalMs, onCatchingUp } = options
  const { storage, settings } = options.integrations
  const { logger, now } = settings
  const { perEndpoint } = settings.delivery
  const backoff = createBackoff(logger, 'deliveries cannot be claimed or recorded')
  const alarm = createAlarm(turn)
  const pace = createPace(pollIntervalMs, now)
  let memory: RoundMemory | undefined
  /** The endpoints of the deliveries that this worker holds. */
  const leases = new Map<Lease, string>()
  const claiming = createClaiming(() => [...leases.keys()].map(deliveryOf))
  const idleWaits = createIdleWaits(() => alarm.ringIn(0))
  const settled: SettledAttempt[] = []
  let onDrained = () => {}
  /** The organizations of those in flight. */
  const underWay = new Map<Lease, string>()
  const unbegun: UnbegunDelivery[] = []
  let isDraining = false
  let quietUntil = 0

  async function turn(): Promise<void> {
    const quietMs = quietUntil - performance.now()
    if (quietMs > 0) return alarm.ringIn(quietMs)
    try {
      await giveBack()
      await round()
      backoff.succeeded()
    } catch (error) {
      const waitMs = backoff.failed(error)
      quietUntil = performance.now() + waitMs
      alarm.ringIn(waitMs)
    }
    if (isDraining && leases.size === 0) onDrained()
  }

  async function round(): Promise<void> {
    const mayClaim = !isDraining && lifeSigns.isFresh()
    const limit = mayClaim ? concurrency - underWay.size : 0
    const mayBegin = lifeSigns.holding()
    const batch = [...settled]
    if (!mayClaim) alarm.ringIn(pollIntervalMs)
    if (limit === 0 && batch.length === 0) return
    const begun = performance.now()
    const found = idleWaits.round()
    const ended = new Set(batch.map(({ delivery }) => leaseOf(delivery)))
    const result = await claiming((held) =>
      storage.deliveries.round({
        ...{ workerId, settled: batch, limit, perEndpoint, memory, now: now() },
        underWay: counts(underWay),
        ...(held === undefined ? { leases: counts(leases, ended) } : { held }),
      }),
    )
    const { claimed, nextDueAt, isCatchingUp } = result
    memory = result.memory
    for (const lease of ended) leases.delete(lease)
    for (const delivery of claimed) leases.set(leaseOf(delivery), delivery.endpoint.id)
    settled.splice(0, batch.length)
    if (isCatchingUp) onCatchingUp()
    pace.took(performance.now() - begun)
    if (isDraining) {
      unbegun.push(...claimed)
      return giveBack()
    }
    const origins = telemetry.originsOf(claimed)
    for (const delivery of claimed) void begin(delivery, { origins, mayBegin })
    alarm.ringIn(pace.afterClaim({ claims: claimed.length, limit, nextDueAt }))
    found(claimed.length, limit > 0 && leases.size === 0 && (nextDueAt === null || nextDueAt > now()))
  }

  async function begin(delivery: ClaimedDelivery, options: Parameters<Dispatch>[1]): Promise<void> {
    const lease = leaseOf(delivery)
    underWay.set(lease, delivery.organization_id)
    const attempt = await dispatch(delivery, options)
    underWay.delete(lease)
    if (attempt.status === 'unbegun') unbegun.push(attempt.delivery)
    else settled.push(attempt)
    // Other workers obey a pause once it is recorded.
    const isUrgent = attempt.status !== 'unbegun' && attempt.paused_until !== null
    alarm.ringIn(isUrgent || settled.length >= Math.min(FULL_BATCH, underWay.size) ? 0 : pace.batchMs())
  }

  async function giveBack(): Promise<void> {
    if (unbegun.length === 0) return
    const batch = [...unbegun]
    await storage.deliveries.release(workerId, batch)
    for (const delivery of batch) leases.delete(leaseOf(delivery))
    unbegun.splice(0, batch.length)
  }

  return {
    wake() {
      pace.reset()
      alarm.ringIn(0)
    },
    drain: () =>
      new Promise((resolve) => {
        isDraining = true
        onDrained = resolve
        alarm.ringIn(0)
      }),
    stop() {
      idleWaits.end()
      return alarm.stop()
    },
    idle: idleWaits.idle,
    claims: idleWaits.claims,
    leasesLeft: () => leases.size,
    inFlight: () => underWay.size,
    failingForMs: () => backoff.failingForMs(),
  }
}

/** A worker that was declared dead may hold a delivery twice, with different attempts. */
type Lease = `${string} ${number}`

function leaseOf({ id, attempt }: UnbegunDelivery): Lease {
  return `${id} ${attempt}`
}

function deliveryOf(lease: Lease): string {
  return lease.slice(0, lease.indexOf(' '))
}

/** How often each value occurs, besides that of some leases. */
function counts(values: ReadonlyMap<Lease, string>, besides: ReadonlySet<Lease> = new Set()) {
  const found = new Map<string, number>()
  for (const [lease, value] of values) {
    if (!besides.has(lease)) found.set(value, (found.get(value) ?? 0) + 1)
  }
  return found
}
