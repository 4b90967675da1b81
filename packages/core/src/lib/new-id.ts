import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** A smaller step back of the clock does not disturb the order of ids. */
const STEP_BACK_MS = 1000
const SEQUENCES = 2 ** 31

let lastMs = Number.NEGATIVE_INFINITY
let sequence = 0

/**
 * A version 7 uuid with the time `at`. Retention and pages rely on that time, so do not pass the machine's, which may
 * be wrong. Ids of one process sort in the order of their creation, even while the clock stands still.
 */
export function newId(at: Date): string {
  const ms = at.getTime()
  const isSameTime = ms <= lastMs && ms > lastMs - STEP_BACK_MS
  sequence = isSameTime ? sequence + 1 : randomInt(SEQUENCES)
  if (!isSameTime) lastMs = ms
  return v7({ msecs: lastMs, seq: sequence })
}
