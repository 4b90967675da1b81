import { IntegrationError, type Integrations } from '@quickquote/core'
import { isOutage } from '@quickquote/core/internal'

const BATCH = 100
/** A hook of the host may hang. */
const REPORTS_AT_ONCE = 10

/**
 * Fails the runs that have reported nothing since then. Those that cannot be failed do not block later ones: the limit
 * grows with them. Rejects with the first of their errors.
 */
export async function failStalledRuns(
  { storage, settings: { logger }, pipeline }: Pick<Integrations, 'storage' | 'settings' | 'pipeline'>,
  silentSince: Date,
): Promise<void> {
  const seen = new Set<string>()
  const errors: unknown[] = []
  let stuck = 0
  for (;;) {
    const stalled = await storage.quotations.findStalled(silentSince, BATCH + stuck)
    const next = stalled.filter((id) => !seen.has(id))
    for (let at = 0; at < next.length; at += REPORTS_AT_ONCE) {
      await Promise.all(next.slice(at, at + REPORTS_AT_ONCE).map(fail))
    }
    if (next.length === 0 || stalled.length < BATCH) break
  }
  if (errors.length > 0) throw errors[0]

  async function fail(quotationId: string): Promise<void> {
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
          'a run that reports nothing could not be marked as failed',
        )
      }
      errors.push(error)
    }
  }
}
