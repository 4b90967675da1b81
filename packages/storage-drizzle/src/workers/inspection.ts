import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Driver } from '../connection/driver.ts'
import { NOTIFY } from '../connection/wake.ts'
import { checkDatabase } from '../migrations/database-check.ts'
import { migrationStatus } from '../migrations/migrate.ts'
import { COUNT_SWEEPING, READ_FACTS, READ_FLOOR, SAMPLE_SECRETS } from './inspection.sql.ts'
import { COUNT_WORKERS } from './workers.sql.ts'

export function inspectionStorage(
  { callUnwatched: call, run, one }: Database,
  { driver, schema, checkEngine }: { driver: Driver; schema: string; checkEngine: () => Promise<void> },
): Storage['inspection'] {
  return {
    readFacts: () =>
      call('inspection.readFacts', async () => {
        await checkEngine()
        const facts = await one(READ_FACTS)
        const { applied } = facts.may_read ? await migrationStatus(driver, schema) : { applied: [] }
        const [floor] = applied.length > 0 ? await run(READ_FLOOR) : []
        return { ...facts, history_floor_days: floor?.days ?? null }
      }),

    findPendingMigrations: () =>
      call('inspection.findPendingMigrations', async () => {
        await checkDatabase(driver, schema)
        return (await migrationStatus(driver, schema)).pending
      }),

    sampleSecrets: () =>
      call('inspection.sampleSecrets', async () => {
        const samples = await run(SAMPLE_SECRETS)
        return samples.map(({ key_id, ...sample }) => ({ keyId: key_id, ...sample }))
      }),

    countWorkers: (silentForMs) =>
      call('inspection.countWorkers', () => one(COUNT_WORKERS, { silent_for_ms: silentForMs })),

    countSweeping: (ms) =>
      call('inspection.countSweeping', async () => (await one(COUNT_SWEEPING, { ms })).organizations),

    /**
     * On a separate channel, so that no worker wakes. Starting to listen counts as a notification, so only later ones
     * matter.
     */
    hearsNotifications: (withinMs) =>
      call('inspection.hearsNotifications', async () => {
        const channel = `${schema}_inspection_${randomUUID()}`
        const given = new AbortController()
        let heard = 0
        const listener = driver.listen(channel, {
          onHeard() {
            heard += 1
            if (heard > 1) given.abort()
          },
        })
        try {
          const until = performance.now() + withinMs
          while (!given.signal.aborted && performance.now() < until) {
            if (heard > 0) await driver.values(NOTIFY, [channel, ''], []).catch(() => undefined)
            await sleep(50, undefined, { signal: given.signal }).catch(() => undefined)
          }
          return given.signal.aborted
        } finally {
          await listener.end()
        }
      }),
  }
}
