import type { Integrations } from '@quickquote/core'
import type { ClaimedDelivery, RoundMemory } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createClaiming } from '../lib/claiming.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import type { WorkLoop } from '../lib/work-loop.ts'
import type { DeliveryTelemetry } from '../telemetry/delivery-telemetry.ts'
import type { LifeSigns } from '../upkeep/heartbeat.ts'
import type { Dispatch } from './dispatch.ts'
import { HeldDeliveries } from './held-deliveries.ts'
import { createPace } from './pace.ts'
import { createShares } from './shares.ts'

export interface DeliveryLoop extends WorkLoop {
  /** The number of leases held. After a stop: those with unrecorded outcomes. */
  leasesLeft(): number
  /** Attempts in flight. */
  inFlight(): number
  /** Begins a round. Unlike after a wake, others may be claiming the same. */
  look(): void
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
  /** Called when the loop may have begun to hold leases. */
  readonly onHolding: () => void
}

/** Records this many outcomes without waiting for more; otherwise they wait for as many as are still in flight. */
const FULL_BATCH = 400

/**
 * Claims deliveries, has them dispatched, and records the outcomes with the next claim. Outcomes stay in memory until
 * the database has them.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { workerId, lifeSigns, dispatch, telemetry, concurrency, pollIntervalMs, onCatchingUp, onHolding } =
    options
  const { storage, settings } = options.integrations
  const { logger, now } = settings
  const { perEndpoint } = settings.delivery
  const shares = createShares(settings.delivery)
  const backoff = createBackoff(logger, 'deliveries cannot be claimed or recorded')
  const alarm = createAlarm(turn)
  const pace = createPace(pollIntervalMs, now)
  const held = new HeldDeliveries()
  const claiming = createClaiming(() => held.ids())
  const idleWaits = createIdleWaits(() => alarm.ringIn(0))
  let memory: RoundMemory | undefined
  let onDrained = () => {}
  let isDraining = false
  let quietUntil = 0
  let wasFull = false

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
    if (isDraining && held.size === 0) onDrained()
  }

  async function round(): Promise<void> {
    const mayClaim = !isDraining && lifeSigns.isFresh()
    const limit = mayClaim ? concurrency - held.inFlight : 0
    const mayBegin = lifeSigns.holding()
    const settled = [...held.settled]
    if (!mayClaim) alarm.ringIn(pollIntervalMs)
    if (limit === 0 && settled.length === 0) return
    const begun = performance.now()
    const found = idleWaits.round()
    const {
      claimed,
      nextDueAt,
      isCatchingUp,
      memory: next,
    } = await claiming((ids) =>
      storage.deliveries.round({
        ...{ workerId, settled, limit, perEndpoint, memory, now: now() },
        limits: shares.limits(),
        underWay: held.inFlightByOrganization(),
        ...(ids === undefined ? { leases: held.leasesByEndpoint(settled) } : { held: ids }),
      }),
    )
    memory = next
    held.recorded(settled)
    held.claimed(claimed)
    if (claimed.length > 0) onHolding()
    if (isCatchingUp) onCatchingUp()
    pace.took(performance.now() - begun)
    if (isDraining) {
      held.unbegun.push(...claimed)
      return giveBack()
    }
    const origins = telemetry.originsOf(claimed)
    for (const delivery of claimed) void begin(delivery, { origins, mayBegin })
    alarm.ringIn(pace.afterClaim({ claims: claimed.length, limit, nextDueAt }))
    shareRest(limit > 0 && claimed.length === limit)
    found(claimed.length, limit > 0 && held.size === 0 && (nextDueAt === null || nextDueAt > now()))
  }

  /** Others were not notified of work that this worker took, and could not claim all of. */
  function shareRest(isFull: boolean): void {
    if (isFull && !wasFull) void storage.workers.share('deliveries')
    wasFull = isFull
  }

  async function begin(delivery: ClaimedDelivery, options: Parameters<Dispatch>[1]): Promise<void> {
    held.begun(delivery)
    shares.began(delivery.endpoint.id)
    const attempt = await dispatch(delivery, options)
    held.ended(attempt)
    shares.ended(delivery.endpoint.id, attempt)
    // Other workers obey a pause once it is recorded.
    const isUrgent = attempt.status !== 'unbegun' && attempt.paused_until !== null
    const isFull = held.settled.length >= Math.min(FULL_BATCH, held.inFlight)
    alarm.ringIn(isUrgent || isFull ? 0 : pace.batchMs())
  }

  async function giveBack(): Promise<void> {
    if (held.unbegun.length === 0) return
    const batch = [...held.unbegun]
    await storage.deliveries.release(workerId, batch)
    held.givenBack(batch)
  }

  return {
    look: () => alarm.ringIn(0),
    // Half of them: the others are for what else is due.
    hasPlaces: () => !isDraining && backoff.failingForMs() === 0 && held.inFlight < concurrency / 2,
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
    isHolding: () => held.size > 0,
    leasesLeft: () => held.size,
    inFlight: () => held.inFlight,
    failingForMs: () => backoff.failingForMs(),
  }
}
