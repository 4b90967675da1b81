import assert from 'node:assert/strict'
import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { RELEASE_NEXT } from '../deliveries/deliveries.sql.ts'
import { BEAT, HAS_LIVE, READ_CLOCK, RECOVER_DEAD, RETIRE } from './workers.sql.ts'

/** Heartbeats, and the leases of dead workers. */
export function workerStorage({ run, wake }: Database): Omit<Storage['workers'], 'listen'> {
  return {
    async heartbeat(workerId) {
      const [beat] = await run(BEAT, { worker_id: workerId })
      assert(beat !== undefined)
      return { at: beat.at, isNew: beat.is_new }
    },

    async hasLive(silentForMs) {
      const [row] = await run(HAS_LIVE, { silent_for_ms: silentForMs })
      return row?.found === true
    },

    async recoverDead({ silentForMs, maxAttempts, now }) {
      const [freed] = await run(RECOVER_DEAD, { silent_for_ms: silentForMs, max_attempts: maxAttempts, now })
      const { deliveries = 0, starts = 0 } = freed ?? {}
      if (deliveries > 0) await run(RELEASE_NEXT, { now })
      if (deliveries + starts > 0) await wake()
      return { deliveries, starts }
    },

    async retire(workerId) {
      await run(RETIRE, { worker_id: workerId })
      // Its last outcomes may have unblocked other deliveries to an endpoint.
      await wake()
    },
  }
}

export function clockStorage({ run }: Database): Storage['clock'] {
  return {
    async read() {
      const [clock] = await run(READ_CLOCK)
      assert(clock !== undefined)
      return clock.at
    },
  }
}
