import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { Waker } from '../connection/wake.ts'
import { RELEASE_NEXT } from '../deliveries/deliveries.sql.ts'
import { BEAT, COUNT_WORKERS, FIND_WORK, READ_CLOCK, RECOVER_DEAD, RETIRE } from './workers.sql.ts'

/** For a heartbeat whose answer does not matter. */
const NO_PROMISES = { silentForMs: 15_000, lostAfterMs: null }

/** Heartbeats, and the leases of dead workers. */
export function workerStorage(
  { call, run, one, wake }: Database,
  { listen, share }: Pick<Waker, 'listen' | 'share'>,
): Storage['workers'] {
  return {
    listen,
    share,

    heartbeat: (workerId, { silentForMs, lostAfterMs } = NO_PROMISES) =>
      call('workers.heartbeat', async () => {
        const { at, is_new, is_another_busy, is_one_silent } = await one(BEAT, {
          worker_id: workerId,
          silent_for_ms: silentForMs,
          lost_after_ms: lostAfterMs,
        })
        return { at, isNew: is_new, isAnotherBusy: is_another_busy, isOneSilent: is_one_silent }
      }),

    hasLive: (silentForMs) =>
      call(
        'workers.hasLive',
        async () => (await one(COUNT_WORKERS, { silent_for_ms: silentForMs })).alive > 0,
      ),

    recoverDead: ({ silentForMs, maxAttempts, now }) =>
      call('workers.recoverDead', async () => {
        const dead = { silent_for_ms: silentForMs, max_attempts: maxAttempts, now }
        const { deliveries, starts } = await one(RECOVER_DEAD, dead)
        if (deliveries > 0) await run(RELEASE_NEXT, { now })
        if (deliveries + starts > 0) await wake('anything')
        return { deliveries, starts }
      }),

    findWork: (now) => call('workers.findWork', () => one(FIND_WORK, { now })),

    retire: (workerId) =>
      call('workers.retire', async () => {
        await run(RETIRE, { worker_id: workerId })
        // Its last outcomes may have unblocked other deliveries to an endpoint.
        await wake('anything')
      }),
  }
}

export function clockStorage({ callUnwatched, one }: Database): Storage['clock'] {
  return {
    read: () => callUnwatched('clock.read', async () => (await one(READ_CLOCK)).at),
  }
}
