import type { Integrations } from '@quickquote/core'
import type { ClaimedDelivery, RoundMemory, SettledAttempt, UnbegunDelivery } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import { createTally } from '../lib/tally.ts'
import type { DeliveryTelemetry } from '../telemetry/delivery-telemetry.ts'
import { holds, type LifeSigns } from '../upkeep/heartbeat.ts'
import { createDeliveryLeases, type LeasedDelivery } from './delivery-leases.ts'
import type { Dispatch } from './dispatch.ts'
import { createPace } from './pace.ts'

export interface DeliveryLoop {
  /** Call it when there may be something to claim. */
  wake(): void
  /** Stops claiming. Resolves when nothing is in flight and every outcome is recorded. */
  drain(): Promise<void>
  /** Gives up. Resolves when no statement is running any more. */
  stop(): Promise<void>
  /** The number of leases held. After a stop: those with unrecorded outcomes. */
  leasesLeft(): number
  /** Resolves when nothing is due and nothing in progress, or with false once the loop has stopped. */
  idle(): Promise<boolean>
  /** The number of deliveries claimed so far. */
  claims(): number
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
  const leases = createDeliveryLeases()
  const idleWaits = createIdleWaits(() => alarm.ringIn(0))
  const settled: SettledAttempt[] = []
  let onDrained = () => {}
  /** By organization. */
  const underWay = createTally()
  const unbegun: (UnbegunDelivery & LeasedDelivery)[] = []
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
    if (isDraining && leasesLeft() === 0) onDrained()
  }

  async function round(): Promise<void> {
    const mayClaim = !isDraining && lifeSigns.isFresh()
    const limit = mayClaim ? concurrency - underWay.total() : 0
    const life = lifeSigns.life()
    const batch = [...settled]
    if (!mayClaim) alarm.ringIn(pollIntervalMs)
    if (limit === 0 && batch.length === 0) return
    const begun = performance.now()
    const found = idleWaits.round()
    const ended = batch.map(({ delivery }) => delivery)
    const wanted = { workerId, settled: batch, limit, perEndpoint, underWay: underWay.byKey, memory }
    const result = await leases.claiming(ended, (known) =>
      storage.deliveries.round({ now: now(), ...wanted, ...known }),
    )
    const { claimed, nextDueAt, isCatchingUp } = result
    memory = result.memory
    leases.remove(ended)
    leases.add(claimed)
    settled.splice(0, batch.length)
    if (isCatchingUp) onCatchingUp()
    pace.took(performance.now() - begun)
    if (isDraining) {
      unbegun.push(...claimed)
      return giveBack()
    }
    const origins = telemetry.originsOf(claimed)
    const mayBegin = () => holds(lifeSigns, life)
    for (const delivery of claimed) void begin(delivery, { origins, mayBegin })
    alarm.ringIn(pace.afterClaim({ claims: claimed.length, limit, nextDueAt }))
    found(claimed.length, limit > 0 && leasesLeft() === 0 && (nextDueAt === null || nextDueAt > now()))
  }

  async function begin(delivery: ClaimedDelivery, options: Parameters<Dispatch>[1]): Promise<void> {
    underWay.change(delivery.organization_id, 1)
    const attempt = await dispatch(delivery, options)
    underWay.change(delivery.organization_id, -1)
    if (attempt.status === 'unbegun') unbegun.push({ ...attempt.delivery, endpoint: delivery.endpoint })
    else settled.push(attempt)
    // Other workers obey a pause once it is recorded.
    const isUrgent = attempt.status !== 'unbegun' && attempt.paused_until !== null
    alarm.ringIn(isUrgent || settled.length >= Math.min(FULL_BATCH, underWay.total()) ? 0 : pace.batchMs())
  }

  async function giveBack(): Promise<void> {
    if (unbegun.length === 0) return
    const batch = [...unbegun]
    await storage.deliveries.release(workerId, batch)
    leases.remove(batch)
    unbegun.splice(0, batch.length)
  }

  function leasesLeft(): number {
    return underWay.total() + settled.length + unbegun.length
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
    leasesLeft,
    inFlight: underWay.total,
    failingForMs: () => backoff.failingForMs(),
  }
}
