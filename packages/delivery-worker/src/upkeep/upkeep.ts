import type { Integrations } from '@quickquote/core'
import { createBatches } from './batches.ts'
import { createHousekeeping } from './housekeeping.ts'
import { periodicTasks } from './periodic-tasks.ts'
import { createReplays } from './replays.ts'
import type { UnusableKeys } from './unusable-keys.ts'

/** All work of a worker besides deliveries and starts. */
export interface Upkeep {
  start(): void
  /** Resolves once everything that was due has been tried. */
  idle(): Promise<void>
  /** Begins nothing more. Resolves when the current steps have ended, which may be never: limit the wait. */
  stop(): Promise<void>
  /** Call it when there may be such work. */
  readonly wake: Readonly<Record<'replays' | 'changes' | 'erasing', () => void>>
  /** Steps that have failed or hung for too long, in words. */
  warnings(): readonly string[]
}

/** Erasing leaves room for other work: a batch is followed by a pause as long as the batch, and at least this long. */
const ERASING_PAUSE_MS = 20
/** A file storage or a host's database may be down for long. */
const LONGEST_ERASING_RETRY_MS = 60_000

export function createUpkeep(
  integrations: Integrations,
  { unusableKeys, pollIntervalMs }: { unusableKeys: UnusableKeys; pollIntervalMs: number },
): Upkeep {
  const { storage, settings, continueErasing } = integrations
  const { logger, now } = settings
  const replays = createBatches({
    advance: createReplays(storage, logger, now),
    failure: 'replays cannot continue',
    pollIntervalMs,
    logger,
  })
  const changes = createBatches({
    advance: () => storage.deliveries.catchUp(now()),
    failure: 'waiting deliveries cannot follow a change of their endpoint',
    pollIntervalMs,
    logger,
  })
  const erasing = createBatches({
    advance: continueErasing,
    failure: 'erasing an organization failed; it will be tried again',
    pauseMs: (tookMs) => Math.max(ERASING_PAUSE_MS, tookMs),
    longestRetryMs: LONGEST_ERASING_RETRY_MS,
    pollIntervalMs,
    logger,
  })
  const housekeeping = createHousekeeping(periodicTasks(integrations, unusableKeys), logger)
  const all = [replays, changes, erasing, housekeeping]
  return {
    start() {
      for (const each of all) each.wake()
    },
    async idle() {
      await Promise.all(all.map((each) => each.idle()))
    },
    async stop() {
      await Promise.all(all.map((each) => each.stop()))
    },
    wake: { replays: replays.wake, changes: changes.wake, erasing: erasing.wake },
    warnings: () => housekeeping.warnings(),
  }
}
