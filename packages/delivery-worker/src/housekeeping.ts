import { IDEMPOTENCY_WINDOW_MS, IntegrationError, type Integrations } from '@quickquote/core'
import { createAlarm } from './alarm.ts'
import { createTrouble } from './trouble.ts'

export interface Housekeeping {
  start(): void
  stop(): Promise<void>
}

const EVERY_MS = 10 * 60 * 1000
/** No upload takes this long: one that is older and belongs to no quote was given up. */
const UPLOAD_MS = 60 * 60 * 1000
const BATCH = 100

/**
 * What has to be done now and then. Every worker does it: it is cheap, and done twice it does nothing. Runs that nothing
 * was heard of for too long fail with PIPELINE_TIMEOUT; endpoints that have failed for too long are disabled; what is no
 * longer kept is removed, and so are files of no quote and old idempotency keys; the tables of the coming days are made.
 */
export function createHousekeeping({
  requirementsFiles,
  disableFailingEndpoints,
  enforceRetention,
  pipeline,
  storage,
  settings,
}: Integrations): Housekeeping {
  const { logger, start: policy, now } = settings
  const trouble = createTrouble(logger, 'housekeeping fails')
  const alarm = createAlarm(async () => {
    try {
      await storage.ensurePartitions()
      await failStalled()
      await disableFailingEndpoints()
      await enforceRetention()
      const files = await requirementsFiles.deleteAbandoned(before(UPLOAD_MS))
      if (files > 0) logger.info({ files }, 'removed files that belonged to no quote')
      await storage.forgetIdempotencyKeys(before(IDEMPOTENCY_WINDOW_MS))
      trouble.over()
      alarm.ringIn(EVERY_MS)
    } catch (error) {
      alarm.ringIn(trouble.failed(error))
    }
  })

  async function failStalled(): Promise<void> {
    let stalled: string[]
    do {
      stalled = await storage.findStalledQuotations(before(policy.timeoutMs), BATCH)
      for (const id of stalled) await fail(id)
    } while (stalled.length === BATCH)
  }

  async function fail(quotationId: string): Promise<void> {
    try {
      await pipeline(quotationId).failed({ errorCode: 'PIPELINE_TIMEOUT' })
      logger.warn({ quotation_id: quotationId }, 'a run failed: nothing was heard of it for too long')
    } catch (error) {
      // It has ended meanwhile, well or badly.
      if (!(error instanceof IntegrationError)) throw error
    }
  }

  function before(ms: number): Date {
    return new Date(now().getTime() - ms)
  }

  return { start: () => alarm.ringIn(0), stop: () => alarm.stop() }
}
