import type { Integrations } from '@quickquote/core'
import { IDEMPOTENCY_WINDOW_MS } from '@quickquote/core/internal'
import { createHeldFeedsCheck } from './held-feeds.ts'
import type { PeriodicTask } from './housekeeping.ts'
import { failStalledRuns } from './stalled-runs.ts'
import type { UnusableKeys } from './unusable-keys.ts'

const MINUTE_MS = 60 * 1000
const EVERY_MS = 10 * MINUTE_MS
/** Longer than any upload: an older file without a quote is abandoned. */
const UPLOAD_MS = 60 * MINUTE_MS

/** Every worker does these: they are cheap, and repeating them has no effect. Ages are by the database's clock. */
export function periodicTasks(
  integrations: Integrations,
  unusableKeys: UnusableKeys,
): readonly PeriodicTask[] {
  const { requirementsFiles, disableFailingEndpoints, sendWarnings, enforceRetention } = integrations
  const { storage, settings } = integrations
  const { logger, start: policy, clock, now } = settings

  async function before(ms: number): Promise<Date> {
    return new Date((await clock.read()).getTime() - ms)
  }

  return [
    {
      failure: 'the delivery attempts of recent hours cannot be counted',
      everyMs: MINUTE_MS,
      run: () => storage.retention.countHours(),
    },
    {
      failure: 'deliveries that wait for no other cannot be released',
      everyMs: MINUTE_MS,
      run: () => storage.deliveries.releaseWaiting(now()),
    },
    {
      failure: 'runs that report nothing cannot be failed',
      everyMs: EVERY_MS,
      run: async () => failStalledRuns(integrations, await before(policy.timeoutMs)),
    },
    { failure: 'failing endpoints cannot be disabled', everyMs: EVERY_MS, run: disableFailingEndpoints },
    { failure: 'warnings cannot be sent', everyMs: MINUTE_MS, run: sendWarnings },
    { failure: 'expired data cannot be removed', everyMs: EVERY_MS, run: enforceRetention },
    {
      failure: 'old idempotency keys cannot be removed',
      everyMs: EVERY_MS,
      run: async () => storage.retention.forgetIdempotencyKeys(await before(IDEMPOTENCY_WINDOW_MS)),
    },
    {
      failure: 'abandoned files cannot be removed',
      everyMs: EVERY_MS,
      async run() {
        const files = await requirementsFiles.deleteAbandoned(await before(UPLOAD_MS))
        if (files > 0) logger.info({ files }, 'removed abandoned files')
      },
    },
    { failure: 'encryption keys cannot be checked', everyMs: MINUTE_MS, run: () => unusableKeys.check() },
    {
      failure: 'event feeds cannot be checked for open transactions',
      everyMs: MINUTE_MS,
      run: createHeldFeedsCheck({ storage, logger }),
    },
  ]
}
