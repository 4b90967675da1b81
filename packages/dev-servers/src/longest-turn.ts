import { openSync, readSync } from 'node:fs'
import { PerformanceObserver, performance } from 'node:perf_hooks'

/** The longest that the event loop may be kept at once, in milliseconds. */
export const MAX_TURN_MS = 50

/** The same by a document. */
export const MAX_DOCUMENT_TURN_MS = 20

/** Constant garbage collection is work of this thread too: with it, turns say nothing about ours. */
export const TURNS_ARE_MEASURABLE = process.env['COLLECT_GARBAGE'] === undefined

/** The processor time of this thread, which other processes cannot lengthen; without Linux, the time. */
const clock = process.platform === 'linux' ? processorTime() : () => performance.now()

function processorTime(): () => number {
  const file = openSync('/proc/thread-self/schedstat', 'r')
  const bytes = Buffer.alloc(64)
  return () =>
    Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6
}

/** What a busy machine adds to a turn, it adds to another one the next time. */
const TRIES = 5

/**
 * Does something, and measures the longest turn of the event loop meanwhile, in milliseconds, without garbage collections:
 * on a slow machine a long test has some in each try. If that is too long, it is done again, up to five times in all, and
 * the shortest result counts.
 */
export async function longestTurn<T>(
  work: () => Promise<T>,
  maximumMs = MAX_TURN_MS,
): Promise<{ result: T; turnMs: number }> {
  let shortest = Number.POSITIVE_INFINITY
  for (let tried = 1; ; tried += 1) {
    const { result, turnMs } = await longestTurnOnce(work)
    shortest = Math.min(shortest, turnMs)
    if (shortest < maximumMs || tried === TRIES) return { result, turnMs: shortest }
  }
}

async function longestTurnOnce<T>(work: () => Promise<T>): Promise<{ result: T; turnMs: number }> {
  const turns: { ms: number; begun: number; ended: number }[] = []
  const collections: { startTime: number; duration: number }[] = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  let before = clock()
  let begun = performance.now()
  let isDone = false
  const note = () => {
    const now = clock()
    const ended = performance.now()
    if (now - before > 1) turns.push({ ms: now - before, begun, ended })
    before = clock()
    begun = ended
  }
  const turn = () => {
    note()
    // Once a turn: with a reference, it would not let the loop wait.
    if (!isDone) setImmediate(turn).unref()
  }
  turn()
  try {
    const result = await work()
    note()
    // The observer receives a collection in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    collections.push(...observer.takeRecords())
    return { result, turnMs: Math.max(0, ...turns.map((each) => each.ms - collectedIn(each))) }
  } finally {
    isDone = true
    observer.disconnect()
  }

  function collectedIn(turn: { begun: number; ended: number }): number {
    return collections
      .filter(({ startTime }) => startTime >= turn.begun && startTime < turn.ended)
      .reduce((sum, { duration }) => sum + duration, 0)
  }
}
