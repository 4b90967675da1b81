import { setTimeout as sleep } from 'node:timers/promises'
import { IntegrationError, type Integrations } from '@quickquote/core'
import { IDEMPOTENCY_WINDOW_MS, isOutage } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { type Backoff, createBackoff } from '../lib/backoff.ts'
import { createHeldFeeds } from './held-feeds.ts'
import type { UnusableKeys } from './unusable-keys.ts'

export interface Housekeeping {
  start(): void
  /** Begins nothing more. Resolves when the current steps have ended, which may be never: limit the wait. */
  stop(): Promise<void>
  /** Steps that have failed or hung for too long, in words. */
  warnings(): readonly string[]
}

/** A periodic task. */
interface Step {
  /** The failure, for the log. */
  readonly failure: string
  readonly everyMs: number
  run(): Promise<void>
}

const MINUTE_MS = 60 * 1000
const EVERY_MS = 10 * MINUTE_MS
/** The longest wait before a failed step is retried. */
const LONGEST_RETRY_MS = MINUTE_MS
/** How long the other steps wait for a slow one. It continues, and does not begin again until it has ended. */
const STEP_MS = 20 * 1000
/** A step that has failed for this long causes a warning. */
const TOLERATED_MS = 30 * MINUTE_MS
/** Longer than any upload: an older file without a quote is abandoned. */
const UPLOAD_MS = 60 * MINUTE_MS
const BATCH = 100
/** Concurrent reports of stalled runs: a hook of the host may hang. */
const REPORTS_AT_ONCE = 10

/**
 * Periodic maintenance. Every worker does it: it is cheap, and repeating it has no effect. A failing or hanging step
 * does not block the others. Ages are by the database's clock.
 */
export function createHousekeeping(
  {
    requirementsFiles,
    disableFailingEndpoints,
    sendWarnings,
    enforceRetention,
    pipeline,
    storage,
    settings,
  }: Integrations,
  unusableKeys: UnusableKeys,
): Housekeeping {
  const { logger, start: policy, clock } = settings
  const heldFeeds = createHeldFeeds({ storage, logger })

  const steps: readonly Step[] = [
    {
      failure: 'the tables of the coming days cannot be created',
      everyMs: EVERY_MS,
      run: () => storage.retention.ensurePartitions(),
    },
    {
      failure: 'the delivery attempts of recent hours cannot be counted',
      everyMs: MINUTE_MS,
      run: () => storage.retention.countHours(),
    },
    {
      failure: 'deliveries that wait for no other cannot be released',
      everyMs: MINUTE_MS,
      run: () => storage.deliveries.releaseWaiting(settings.now()),
    },
    { failure: 'runs that report nothing cannot be failed', everyMs: EVERY_MS, run: failStalled },
    {
      failure: 'failing endpoints cannot be disabled',
      everyMs: EVERY_MS,
      run: async () => void (await disableFailingEndpoints()),
    },
    {
      failure: 'warnings cannot be sent',
      everyMs: MINUTE_MS,
      run: async () => void (await sendWarnings()),
    },
    { failure: 'expired data cannot be removed', everyMs: EVERY_MS, run: enforceRetention },
    {
      failure: 'old idempotency keys cannot be removed',
      everyMs: EVERY_MS,
      run: async () => storage.retention.forgetIdempotencyKeys(await before(IDEMPOTENCY_WINDOW_MS)),
    },
    { failure: 'abandoned files cannot be removed', everyMs: EVERY_MS, run: removeFiles },
    {
      failure: 'encryption keys cannot be checked',
      everyMs: MINUTE_MS,
      run: () => unusableKeys.check(),
    },
    {
      failure: 'event feeds cannot be checked for open transactions',
      everyMs: MINUTE_MS,
      run: () => heldFeeds.check(),
    },
  ]

  const plans = steps.map((step) => createPlan(step, createBackoff(logger, step.failure, LONGEST_RETRY_MS)))
  const alarm = createAlarm(doWhatIsDue)
  let waiting: AbortController | undefined
  let isStopped = false

  async function doWhatIsDue(): Promise<void> {
    for (const plan of plans) {
      if (isStopped) return
      if (plan.underWay === undefined && performance.now() >= plan.dueAt) await begin(plan)
    }
    ringForNext()
  }

  /** Resolves when the step has ended, or the others have waited long enough. */
  async function begin(plan: Plan): Promise<void> {
    const ended = new AbortController()
    waiting = ended
    plan.begunAt = performance.now()
    plan.underWay = run(plan).finally(() => {
      plan.underWay = undefined
      ended.abort()
      ringForNext()
    })
    await sleep(STEP_MS, undefined, { signal: ended.signal }).catch(() => undefined)
  }

  async function run(plan: Plan): Promise<void> {
    const { step, backoff } = plan
    try {
      await step.run()
      backoff.succeeded()
      plan.dueAt = performance.now() + step.everyMs
    } catch (error) {
      plan.dueAt = performance.now() + backoff.failed(error)
    }
  }

  function ringForNext(): void {
    const next = Math.min(...plans.filter(({ underWay }) => underWay === undefined).map(({ dueAt }) => dueAt))
    if (Number.isFinite(next)) alarm.ringIn(Math.max(next - performance.now(), 0))
  }

  /** Runs that cannot be failed do not block later ones: the limit grows with them. */
  async function failStalled(): Promise<void> {
    const silentSince = await before(policy.timeoutMs)
    const seen = new Set<string>()
    const errors: unknown[] = []
    let stuck = 0
    for (;;) {
      const stalled = await storage.quotations.findStalled(silentSince, BATCH + stuck)
      const next = stalled.filter((id) => !seen.has(id))
      for (let at = 0; at < next.length; at += REPORTS_AT_ONCE) {
        await Promise.all(next.slice(at, at + REPORTS_AT_ONCE).map(failOne))
      }
      if (next.length === 0 || stalled.length < BATCH) break
    }
    if (errors.length > 0) throw errors[0]

    async function failOne(quotationId: string): Promise<void> {
      seen.add(quotationId)
      try {
        await pipeline(quotationId).failed({ errorCode: 'PIPELINE_TIMEOUT' })
        logger.warn({ quotation_id: quotationId }, 'a run failed: it reported nothing for too long')
      } catch (error) {
        stuck += 1
        // It has ended meanwhile.
        if (error instanceof IntegrationError && error.code !== 'SERVICE_UNAVAILABLE') return
        if (!isOutage(error)) {
          logger.error(
            { err: error, quotation_id: quotationId },
            'a run that reports nothing cannot be failed',
          )
        }
        errors.push(error)
      }
    }
  }

  async function removeFiles(): Promise<void> {
    const files = await requirementsFiles.deleteAbandoned(await before(UPLOAD_MS))
    if (files > 0) logger.info({ files }, 'removed abandoned files')
  }

  async function before(ms: number): Promise<Date> {
    return new Date((await clock.read()).getTime() - ms)
  }

  return {
    start: () => alarm.ringIn(0),
    async stop() {
      isStopped = true
      waiting?.abort()
      await alarm.stop()
      await Promise.all(plans.map(({ underWay }) => underWay))
    },
    warnings: () =>
      plans
        .filter((plan) => failingForMs(plan) > TOLERATED_MS)
        .map(({ step }) => `housekeeping: ${step.failure}`),
  }
}

/** A step and its state. */
interface Plan {
  readonly step: Step
  readonly backoff: Backoff
  dueAt: number
  begunAt: number
  underWay: Promise<void> | undefined
}

function createPlan(step: Step, backoff: Backoff): Plan {
  return { step, backoff, dueAt: 0, begunAt: 0, underWay: undefined }
}

function failingForMs({ backoff, underWay, begunAt }: Plan): number {
  return Math.max(backoff.failingForMs(), underWay === undefined ? 0 : performance.now() - begunAt)
}
