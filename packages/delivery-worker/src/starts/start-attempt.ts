import { IntegrationError, type Integrations, type QuotationReporter } from '@quickquote/core'
import { answerInTime, type ClaimedStart } from '@quickquote/core/internal'
import type { StartTelemetry } from '../telemetry/start-telemetry.ts'
import type { StartAttemptResult } from './start-result.ts'
import { CANCELLED } from './start-signals.ts'

/**
 * Calls the pipeline hook for an order, and records the result. Aborting the controller, which belongs to this call
 * only, ends it.
 */
export type StartAttempt = (start: ClaimedStart, controller: AbortController) => Promise<StartAttemptResult>

/**
 * @param persist performs a write, with retries
 */
export function createStartAttempt({
  integrations,
  workerId,
  telemetry,
  persist,
}: {
  integrations: Integrations
  workerId: string
  telemetry: StartTelemetry
  persist: (write: () => Promise<void>) => Promise<void>
}): StartAttempt {
  const { storage, settings } = integrations
  const { pipeline, start: policy, logger, now } = settings

  async function callCancel({ quote, attempt }: ClaimedStart): Promise<StartAttemptResult> {
    try {
      checkAttempt(attempt)
      await answerInTime('pipeline.cancel', settings.hookTimeoutMs, () => pipeline.cancel?.(quote))
      return { kind: 'cancelled' }
    } catch (error) {
      const retryAt = retryTime(attempt)
      const level = retryAt === null ? 'error' : 'warn'
      logger[level]({ err: error, quotation_id: quote.id, attempt }, 'a pipeline could not cancel its run')
      return { kind: 'failed', error, retryAt }
    }
  }

  async function callStart(start: ClaimedStart, controller: AbortController): Promise<StartAttemptResult> {
    const { quote, attempt } = start
    const { signal } = controller
    const grace = graceAfterCancel(signal)
    try {
      checkAttempt(attempt)
      const call = telemetry.traced(start, () =>
        answerInTime('pipeline.start', policy.callTimeoutMs, () =>
          pipeline.start(quote, {
            signal,
            report: integrations.pipeline(quote.id),
            readFile: ({ id }) =>
              integrations.requirementsFiles.read({ id, organization_id: quote.organization_id }),
          }),
        ),
      )
      await Promise.race([call, grace.over])
      return { kind: signal.reason === CANCELLED ? 'cancelled' : 'started' }
    } catch (error) {
      if (signal.aborted) return { kind: signal.reason === CANCELLED ? 'cancelled' : 'broken_off' }
      // A call that timed out must not continue beside the next attempt.
      controller.abort(error)
      logger.warn({ err: error, quotation_id: quote.id, attempt }, 'a pipeline could not be started')
      return { kind: 'failed', error, retryAt: retryTime(attempt) }
    } finally {
      grace.end()
    }
  }

  /** @throws Error if a worker died during the last attempt: this would be one more */
  function checkAttempt(attempt: number): void {
    if (attempt > policy.maxAttempts) throw new Error('The worker died during the last attempt.')
  }

  /** `over` rejects if a start goes on for too long after its quote was cancelled: then `cancel` has to stop it. */
  function graceAfterCancel(signal: AbortSignal): { over: Promise<never>; end(): void } {
    let timer: NodeJS.Timeout | undefined
    let onAbort = () => {}
    const over = new Promise<never>((_, reject) => {
      onAbort = () => {
        if (signal.reason === CANCELLED) timer = setTimeout(reject, settings.hookTimeoutMs, CANCELLED)
      }
    })
    signal.addEventListener('abort', onAbort)
    return {
      over,
      end() {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      },
    }
  }

  /** The time of the next attempt; null after the last. */
  function retryTime(attempt: number): Date | null {
    if (attempt >= policy.maxAttempts) return null
    return new Date(now().getTime() + policy.backoffMs * 2 ** (attempt - 1))
  }

  return async (start, controller) => {
    const { quote, attempt, hook } = start
    const result = await (hook === 'cancel' ? callCancel(start) : callStart(start, controller))
    const retryAt = result.kind === 'failed' ? result.retryAt : null
    const isExhausted = hook === 'start' && result.kind === 'failed' && retryAt === null
    if (hook === 'start') telemetry.ended(isExhausted ? 'exhausted' : result.kind)
    if (result.kind === 'broken_off') return result
    if (isExhausted) await persist(() => fail(integrations.pipeline(quote.id)))
    await persist(() =>
      storage.pipelineStarts.recordCall({ workerId, quotationId: quote.id, attempt, retryAt }),
    )
    return result
  }
}

/** A quote that has ended or been deleted needs nothing more. */
async function fail(report: QuotationReporter): Promise<void> {
  try {
    await report.failed({ errorCode: 'PIPELINE_START_FAILED' })
  } catch (error) {
    if (!(error instanceof IntegrationError)) throw error
  }
}
