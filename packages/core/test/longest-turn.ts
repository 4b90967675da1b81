import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** The longest that the event loop may be kept at once, in milliseconds. */
export const MAX_TURN_MS = 50

/** Constant garbage collection is work of this thread too: with it, turns say nothing about ours. */
export const TURNS_ARE_MEASURABLE = process.env['COLLECT_GARBAGE'] === undefined

/** The processor time of this thread, which other processes cannot lengthen; without Linux, the time. */
const clock = process.platform === 'linux' ? processorTime : () => performance.now()

function processorTime(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
}

/** Does something, and measures the longest turn of the event loop meanwhile, in milliseconds. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; turnMs: number }> {
  let turnMs = 0
  let before = clock()
  let isDone = false
  const note = () => {
    const now = clock()
    turnMs = Math.max(turnMs, now - before)
    before = now
  }
  const turn = () => {
    note()
    if (!isDone) setImmediate(turn)
  }
  turn()
  try {
    const result = await work()
    note()
    return { result, turnMs }
  } finally {
    isDone = true
  }
}
