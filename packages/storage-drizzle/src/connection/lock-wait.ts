import { setTimeout as sleep } from 'node:timers/promises'
import type { Repeat } from './driver.ts'
import { sqlStateOf } from './storage-error.ts'

/** The `lock_timeout` of our connections: the longest that a statement keeps one while it waits for a lock. */
export const LONGEST_HELD_MS = 50

/** The wait before the next try. It doubles up to the longest. */
const PAUSE_MS = { first: 50, longest: 400 }

/**
 * Waits for locks without a connection, for up to `lockTimeoutMs`: a statement that does not get one soon fails, its
 * transaction is rolled back, and runs again after a pause. Otherwise a few callers of one locked row would take all
 * connections.
 */
export function waitingForLocks(lockTimeoutMs: number): Repeat {
  return async (run) => {
    const end = performance.now() + lockTimeoutMs
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
      try {
        return await run()
      } catch (error) {
        const leftMs = end - performance.now()
        if (sqlStateOf(error) !== '55P03' || leftMs <= 0) throw error
        await sleep(Math.min(leftMs, pauseMs * (0.5 + Math.random() / 2)))
      }
    }
  }
}
