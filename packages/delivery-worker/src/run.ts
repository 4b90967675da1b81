import { randomUUID } from 'node:crypto'
import { isOutage, type Work, type WorkListener } from '@quickquote/core/internal'
import { createDeliveryLoop } from './deliveries/delivery-loop.ts'
import { createSender } from './deliveries/sender.ts'
import type { Vitals } from './health/health.ts'
import { endsWithin } from './lib/ends-within.ts'
import { rarely } from './lib/rarely.ts'
import type { WorkLoop } from './lib/work-loop.ts'
import type { CheckedOptions } from './options.ts'
import { createPipelineStarter } from './starts/pipeline-starter.ts'
import { observeQueue } from './telemetry/queue-gauges.ts'
import { createStartTelemetry } from './telemetry/start-telemetry.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { createHeartbeat, type Heartbeat } from './upkeep/heartbeat.ts'
import { createPolls } from './upkeep/polls.ts'
import { createUnusableKeys } from './upkeep/unusable-keys.ts'
import { createUpkeep } from './upkeep/upkeep.ts'

/** A worker from its start to its stop. */
export interface Running {
  vitals(): Vitals
  /** Resolves with false if the worker stops first. */
  idle(): Promise<boolean>
  /** The same, once housekeeping, replays and erasures have done what was due, too. */
  finished(): Promise<boolean>
  stop(deadlineMs: number): Promise<void>
}

/** After the deadline: time to record aborted attempts. */
const LAST_RECORDS_MS = 2000
/** After that: time to end everything else, in parallel, and to deregister. */
const LAST_STEPS_MS = 1000

/**
 * Creates the parts of a worker, and starts them. Rejects if the database cannot be reached.
 * @param isBrief a run of seconds takes over from dead workers at once, and does not listen for new work
 */
export async function run(
  options: CheckedOptions,
  telemetry: Telemetry,
  { isBrief }: { isBrief: boolean },
): Promise<Running> {
  const parts = createParts(options, telemetry, { isBrief })
  const { workerId, unusableKeys, http, heartbeat, deliveries, loops, upkeep, polls } = parts
  const { storage, settings } = options.integrations
  const { clock, logger, now } = settings
  try {
    await heartbeat.start()
    await unusableKeys.check()
    await options.integrations.repairFeed()
  } catch (error) {
    await heartbeat.stop()
    await http.close()
    throw error
  }
  const unlisten = isBrief
    ? undefined
    : await listen(options, {
        workerId,
        heartbeat,
        onWake: parts.onWake,
        takes: parts.takes,
        offer: parts.offer,
      })
  parts.start()
  const unobserve = observeQueue({ telemetry, storage, inFlight: deliveries.inFlight, logger, now })
  logger.info({ worker_id: workerId, concurrency: options.concurrency }, 'the delivery worker is running')

  return {
    vitals: () => ({
      inFlight: deliveries.inFlight(),
      heartbeatAgeMs: heartbeat.ageMs(),
      failingForMs: deliveries.failingForMs(),
      clockAheadMs: clock.aheadMs(),
      unusableKeys: unusableKeys.known(),
      warnings: upkeep.warnings(),
    }),
    idle: () => idle(loops),
    async finished() {
      await upkeep.idle()
      return idle(loops)
    },
    async stop(deadlineMs) {
      const others = Promise.all([polls.stop(), upkeep.stop(), unlisten?.().catch(() => undefined)])
      const drained = Promise.all(loops.map((loop) => loop.drain()))
      if (!(await endsWithin(drained, deadlineMs))) {
        http.abort()
        await endsWithin(drained, LAST_RECORDS_MS)
      }
      unobserve()
      const ended = Promise.all([...loops, heartbeat].map((part) => part.stop()))
      const [loopsEnded] = await Promise.all([
        endsWithin(ended, LAST_STEPS_MS),
        endsWithin(others, LAST_STEPS_MS),
        endsWithin(http.close(), LAST_STEPS_MS),
      ])
      const leasesLeft = deliveries.leasesLeft()
      // A worker that deregisters with leases would orphan them. If it stays silent, others take them over.
      if (loopsEnded && leasesLeft === 0) {
        const retired = storage.workers.retire(workerId).catch((error: unknown) => {
          logger.warn({ err: error }, 'the worker could not deregister; other workers will declare it dead')
        })
        await endsWithin(retired, LAST_STEPS_MS)
      }
      logger.info({ worker_id: workerId, leases_left: leasesLeft }, 'the delivery worker has stopped')
    },
  }
}

function listen(
  { integrations }: CheckedOptions,
  {
    workerId,
    heartbeat,
    ...listener
  }: Pick<WorkListener, 'onWake' | 'takes' | 'offer'> & {
    readonly workerId: string
    readonly heartbeat: Pick<Heartbeat, 'sessionChanged'>
  },
): Promise<() => Promise<void>> {
  const { storage, settings } = integrations
  return storage.workers.listen({
    ...listener,
    session: { workerId, onChange: heartbeat.sessionChanged },
    onLost(error) {
      const level = isOutage(error) ? 'debug' : 'warn'
      settings.logger[level](
        { err: error },
        'the worker receives no notifications of new work; it polls, and keeps trying to listen',
      )
    },
  })
}

function createParts(
  { integrations, ca, socketsPerOrigin, pollIntervalMs, ...options }: CheckedOptions,
  telemetry: Telemetry,
  { isBrief }: { isBrief: boolean },
) {
  const { storage, settings } = integrations
  const { clock, keyring, logger } = settings
  const workerId = randomUUID()
  const unusableKeys = createUnusableKeys({ storage, keyring, logger })
  const sender = createSender({ integrations, ca, socketsPerOrigin, telemetry, unusableKeys })
  const heartbeat = createHeartbeat({
    storage,
    workerId,
    logger,
    clock,
    everyMs: options.heartbeatMs,
    deadAfterMs: options.deadAfterMs,
    maxAttempts: settings.delivery.maxAttempts,
    isBrief,
    onFresh: () => onWake('anything'),
    isHolding: () => loops.some((loop) => loop.isHolding()),
  })
  const upkeep = createUpkeep(integrations, { unusableKeys, pollIntervalMs: rarely(pollIntervalMs) })
  const shared = { integrations, workerId, lifeSigns: heartbeat, pollIntervalMs, onHolding: heartbeat.hurry }
  const deliveries = createDeliveryLoop({
    ...shared,
    dispatch: sender.dispatch,
    waiting: sender.waiting,
    telemetry: sender.telemetry,
    concurrency: options.concurrency,
    onCatchingUp: upkeep.wake.changes,
  })
  const starts = options.pipelineStarts
    ? createPipelineStarter({ ...shared, telemetry: createStartTelemetry(telemetry) })
    : undefined
  const loops: readonly WorkLoop[] = starts === undefined ? [deliveries] : [starts, deliveries]
  const polls = createPolls({
    storage,
    logger,
    now: settings.now,
    everyMs: pollIntervalMs,
    wake: { ...upkeep.wake, deliveries: deliveries.look, starts: () => starts?.wake() },
  })
  let isStarted = false

  function onWake(work: Work): void {
    if (!isStarted) return
    if (work !== 'deliveries') starts?.wake()
    if (work !== 'starts') deliveries.wake()
  }

  function takes(work: Work): boolean {
    const loop = work === 'starts' ? starts : deliveries
    return isStarted && heartbeat.isFresh() && loop?.hasPlaces() === true
  }

  const offer = (organizationId: string) => (isStarted ? deliveries.offer(organizationId) : undefined)

  function start(): void {
    isStarted = true
    onWake('anything')
    upkeep.start()
    polls.start()
  }

  const { http } = sender
  return {
    workerId,
    unusableKeys,
    http,
    heartbeat,
    deliveries,
    loops,
    upkeep,
    polls,
    onWake,
    takes,
    offer,
    start,
  }
}

async function idle(loops: readonly WorkLoop[]): Promise<boolean> {
  const claims = () => loops.reduce((sum, loop) => sum + loop.claims(), 0)
  for (;;) {
    const before = claims()
    for (const loop of loops) if (!(await loop.idle())) return false
    // A start may have caused deliveries, and the time of those may have brought another start.
    if (claims() === before) return true
  }
}
