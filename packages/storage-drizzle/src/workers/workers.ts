import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { RELEASE_NEXT } from '../deliveries/deliveries.sql.ts'
import { BEAT, COUNT_WORKERS, READ_CLOCK, RECOVER_DEAD, RETIRE } from './workers.sql.ts'

/** Heartbeats, and the leases of dead workers. */
export function workerStorage({ run, one, wake }: Database): Omit<Storage['workers'], 'listen' | 'share'> {
  return {
    async heartbeat(workerId) {
      const { at, is_new } = await one(BEAT, { worker_id: workerId })
      return { at, isNew: is_new }
    },

    async hasLive(silentForMs) {
      return (await one(COUNT_WORKERS, { silent_for_ms: silentForMs })).alive > 0
    },

    async recoverDead({ silentForMs, maxAttempts, now }) {
      const dead = { silent_for_ms: silentForMs, max_attempts: maxAttempts, now }
      const { deliveries, starts } = await one(RECOVER_DEAD, dead)
      if (deliveries > 0) await run(RELEASE_NEXT, { now })
      if (deliveries + starts > 0) await wake('anything')
      return { deliveries, starts }
    },

    async retire(workerId) {
      await run(RETIRE, { worker_id: workerId })
      // Its last outcomes may have unblocked other deliveries to an endpoint.
      await wake('anything')
    },
  }
}

export function clockStorage({ one }: Database): Storage['clock'] {
  return {
    async read() {
      return (await one(READ_CLOCK)).at
    },
  }
}
