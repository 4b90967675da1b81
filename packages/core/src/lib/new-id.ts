import { randomInt, randomUUID } from 'node:crypto'

/** A smaller step back of the clock does not disturb the order of ids. */
const STEP_BACK_MS = 1000
/** Half of the 26 bits, so that none overflows. */
const SEQUENCES = 2 ** 25

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
  const time = lastMs.toString(16).padStart(12, '0')
  const [high, low] = [sequence >>> 14, 0x8000 | (sequence & 0x3fff)]
  const random = randomUUID().slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high.toString(16).padStart(3, '0')}-${low.toString(16)}-${random}`
}
