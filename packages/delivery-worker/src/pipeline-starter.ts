import { setTimeout as sleep } from 'node:timers/promises'
import {
  answerInTime,
  type ClaimedStart,
  IntegrationError,
  type Integrations,
  type QuotationReporter,
} from '@quickquote/core'
import { createAlarm } from './alarm.ts'
import type { StartTelemetry } from './start-telemetry.ts'
import { createTrouble } from './trouble.ts'

export interface PipelineStarter {
  /** There may be an order. */
  wake(): void
  /** Takes no more orders and aborts the starts that are under way. Resolves when they have ended. */
  drain(): Promise<void>
  /** Waits no more for starts that do not end. */
  stop(): Promise<void>
}

/** The wait when an order is due that another worker is just taking. */
const CONTENDED_MS = 50

/**
 * Hands accepted quotes to the host's pipeline, and fails a quote whose pipeline cannot be started. An order that was
 * broken off by a stop stays leased: the worker gives it back when it retires, and the try does not count.
 */
export function createPipelineStarter({
  integrations,
  workerId,
  pollIntervalMs,
  telemetry,
}: {
  integrations: Integrations
  workerId: string
  pollIntervalMs: number
  telemetry: StartTelemetry
}): PipelineStarter {
  const { storage, settings } = integrations
  const { pipeline, start: policy, logger, now } = settings
  const trouble = createTrouble(logger, 'orders to start pipelines cannot be claimed or ended')
  const alarm = createAlarm(round)
  const draining = new AbortController()
  const stopped = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function round(): Promise<void> {
    const limit = policy.concurrency - underWay.size
    if (limit <= 0 || draining.signal.aborted) return
    try {
      const { claimed, nextDueAt } = await storage.claimPipelineStarts({ workerId, limit, now: now() })
      trouble.over()
      if (draining.signal.aborted) return
      for (const start of claimed) begin(start)
      const dueInMs = nextDueAt === null ? pollIntervalMs : nextDueAt.getTime() - now().getTime()
      alarm.ringIn(Math.min(Math.max(dueInMs, claimed.length > 0 ? 0 : CONTENDED_MS), pollIntervalMs))
    } catch (error) {
      alarm.ringIn(trouble.failed(error))
    }
  }

  function begin(start: ClaimedStart): void {
    const run = carryOut(start).finally(() => {
      underWay.delete(run)
      alarm.ringIn(0)
    })
    underWay.add(run)
  }

  async function carryOut(start: ClaimedStart): Promise<void> {
    const { quote, attempt } = start
    const result = await tryToStart(start)
    const retryAt = result === 'failed' ? retryTime(attempt) : null
    telemetry.ended(retryAt === undefined ? 'exhausted' : result)
    if (result === 'broken_off') return
    if (retryAt === undefined) await persist(() => fail(integrations.pipeline(quote.id)))
    await persist(() =>
      storage.settlePipelineStart({ workerId, quotationId: quote.id, attempt, retryAt: retryAt ?? null }),
    )
  }

  async function tryToStart(start: ClaimedStart): Promise<'started' | 'failed' | 'broken_off'> {
    const { quote, attempt } = start
    // The worker died during the last try, and there is none left.
    if (attempt > policy.maxAttempts) return 'failed'
    const overdue = new AbortController()
    try {
      await telemetry.traced(start, () =>
        answerInTime('pipeline.start', policy.callTimeoutMs, () =>
          pipeline.start(quote, {
            signal: AbortSignal.any([draining.signal, overdue.signal]),
            report: integrations.pipeline(quote.id),
            readFile: ({ id }) =>
              integrations.requirementsFiles.read({ id, organization_id: quote.organization_id }),
          }),
        ),
      )
      return 'started'
    } catch (error) {
      // What has taken too long must not go on beside the next try.
      overdue.abort(error)
      if (draining.signal.aborted) return 'broken_off'
      logger.warn({ err: error, quotation_id: quote.id, attempt }, 'a pipeline could not be started')
      return 'failed'
    }
  }

  /** When to try again; undefined after the last try. */
  function retryTime(attempt: number): Date | undefined {
    if (attempt >= policy.maxAttempts) return undefined
    return new Date(now().getTime() + policy.backoffMs * 2 ** (attempt - 1))
  }

  /** Repeats what the database failed at, until it is done or the worker stops waiting. */
  async function persist(write: () => Promise<void>): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await write()
        return trouble.over()
      } catch (error) {
        await sleep(trouble.failed(error), undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
  }

  return {
    wake: () => alarm.ringIn(0),
    async drain() {
      draining.abort()
      await Promise.all(underWay)
    },
    async stop() {
      stopped.abort()
      await alarm.stop()
    },
  }
}

/** A quote that has ended meanwhile, or is gone, needs no more. */
async function fail(report: QuotationReporter): Promise<void> {
  try {
    await report.failed({ errorCode: 'PIPELINE_START_FAILED' })
  } catch (error) {
    if (!(error instanceof IntegrationError)) throw error
  }
}
