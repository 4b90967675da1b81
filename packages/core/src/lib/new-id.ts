import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** A clock that steps back by less does not put new ids before older ones. */
const STEP_BACK_MS = 1000
const SEQUENCES = 2 ** 31

let lastMs = Number.NEGATIVE_INFINITY
let sequence = 0

/**
 * A uuid of version 7 that tells the time `at`: retention and pages go by it, so it must not be the machine's, which may be
 * wrong. Ids of one process sort in the order in which they were made, also while a clock stands still.
 */
export function newId(at: Date): string {
  const ms = at.getTime()
  const isSameTime = ms <= lastMs && ms > lastMs - STEP_BACK_MS
  sequence = isSameTime ? sequence + 1 : randomInt(SEQUENCES)
  if (!isSameTime) lastMs = ms
  return v7({ msecs: lastMs, seq: sequence })
}
