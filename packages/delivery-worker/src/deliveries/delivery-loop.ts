import type { Integrations, Storage } from '@quickquote/core'
import type { ClaimedDelivery, Places, RoundMemory } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import type { WorkLoop } from '../lib/work-loop.ts'
import type { DeliveryTelemetry } from '../telemetry/delivery-telemetry.ts'
import type { LifeSigns } from '../upkeep/heartbeat.ts'
import { createClaimSize } from './claim-size.ts'
import type { Dispatch } from './dispatch.ts'
import { HeldDeliveries, returned, unbegun } from './held-deliveries.ts'
import { createOffers } from './offers.ts'
import { createPace } from './pace.ts'
import { createShares } from './shares.ts'

export interface DeliveryLoop extends WorkLoop {
  /** Places for the deliveries of an organization's event, while little happens. */
  offer(organizationId: string): Places | undefined
  /** The most leases that it holds. After a stop: those with unrecorded outcomes. */
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
  /** How many deliveries wait for a socket. */
  readonly waiting: () => number
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
  const claimSize = createClaimSize({ ...options, isAlone: lifeSigns.isAlone })
  const held = new HeldDeliveries()
  const look = () => alarm.ringIn(0)
  const idleWaits = createIdleWaits(look)
  const giveBack = givingBack(options, held)
  let memory: RoundMemory | undefined
  const shareRest = sharing(storage)
  let onDrained = () => {}
  let isDraining = false
  const offers = createOffers({
    ...options,
    perEndpoint,
    now,
    held,
    mayTake: () => !isDraining && backoff.failingForMs() === 0,
    take(leased, mayBegin) {
      take(leased, mayBegin)
      if (isDraining) look()
    },
    look,
  })

  async function turn(): Promise<void> {
    try {
      await giveBack()
      await round()
      backoff.succeeded()
    } catch (error) {
      alarm.ringAfter(backoff.failed(error))
    }
    if (isDraining && leasesLeft() === 0) onDrained()
  }

  /** Those that may still come included. */
  const leasesLeft = () => held.size + offers.places()

  async function round(): Promise<void> {
    const mayClaim = !isDraining && lifeSigns.isFresh()
    const free = mayClaim ? concurrency - held.inFlight : 0
    const limit = claimSize.of(free)
    const mayBegin = lifeSigns.holding()
    const settled = [...held.settled]
    if (!mayClaim) alarm.ringIn(pollIntervalMs)
    if (limit === 0 && settled.length === 0) return
    const begun = performance.now()
    const ended = idleWaits.round()
    const places = { limit, perEndpoint, limits: shares.limits(), underWay: held.inFlightByOrganization() }
    const { claimed, nextDueAt, isCatchingUp, ...next } = await offers.round(settled, (known) =>
      storage.deliveries.round({ ...places, ...known, workerId, settled, memory, now: now() }),
    )
    memory = next.memory
    held.recorded(settled)
    take(claimed, mayBegin)
    if (isCatchingUp) onCatchingUp()
    pace.took(performance.now() - begun)
    if (isDraining) return giveBack()
    const claims = claimed.length
    alarm.ringIn(pace.afterClaim({ claims, limit, free, settled: settled.length, nextDueAt }))
    const isMore = nextDueAt !== null && nextDueAt <= now()
    claimSize.claimed({ claims, limit, isMore })
    shareRest(isMore && claims > limit / 2)
    ended(limit > 0 && held.size === 0 && !isMore)
  }

  function take(claimed: readonly ClaimedDelivery[], mayBegin: () => boolean): void {
    if (claimed.length === 0) return
    idleWaits.claimed(claimed.length)
    held.claimed(claimed)
    onHolding()
    if (isDraining) return void held.unbegun.push(...claimed.map((delivery) => unbegun(delivery)))
    shares.claimed(claimed, held.leasesByEndpoint([]))
    const origins = telemetry.originsOf(claimed)
    for (const delivery of claimed) void begin(delivery, { origins, mayBegin })
  }

  async function begin(delivery: ClaimedDelivery, options: Parameters<Dispatch>[1]): Promise<void> {
    held.begun(delivery)
    const attempt = await dispatch(delivery, options)
    held.ended(attempt)
    shares.ended(delivery.endpoint.id, attempt)
    // Other workers obey a pause once it is recorded.
    const isUrgent = attempt.status !== 'unbegun' && attempt.paused_until !== null
    const isFull = held.settled.length >= Math.min(FULL_BATCH, held.inFlight)
    alarm.ringIn(isUrgent || isFull ? 0 : pace.batchMs())
  }

  return {
    look,
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
    offer: offers.offer,
    leasesLeft,
    inFlight: () => held.inFlight,
    failingForMs: () => backoff.failingForMs(),
  }
}

function givingBack(
  { integrations: { storage }, workerId }: Pick<DeliveryLoopOptions, 'integrations' | 'workerId'>,
  held: HeldDeliveries,
): () => Promise<void> {
  return async () => {
    if (held.unbegun.length === 0) return
    const batch = [...held.unbegun]
    await storage.deliveries.release(workerId, batch.map(returned))
    held.givenBack(batch)
  }
}

/** Others were not notified of work that a worker took, and could not claim all of. */
function sharing(storage: Pick<Storage, 'workers'>): (isFull: boolean) => void {
  let wasFull = false
  return (isFull) => {
    if (isFull && !wasFull) void storage.workers.share('deliveries')
    wasFull = isFull
  }
}
