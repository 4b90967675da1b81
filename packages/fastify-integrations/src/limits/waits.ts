import type { Limits, Logger } from '@quickquote/core'
import { isOutage, LONGEST_WAIT_SECONDS } from '@quickquote/core/internal'

/** The interval of the one look-up for all requests that wait for the same kind of news. */
const LOOK_EVERY_MS = 500

/** Calls `ring` when there may be news of a target, until the returned function is called. */
export type Lookout<Target> = (target: Target, ring: () => void) => () => void

/** @param find the indices of the targets with news */
export function createLookout<Target>(
  find: (targets: readonly Target[]) => Promise<Iterable<number>>,
  logger: Logger,
): Lookout<Target> {
  const watchers = new Set<{ readonly target: Target; readonly ring: () => void }>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isFailing = false

  async function look(): Promise<void> {
    timer = undefined
    isLooking = true
    const asked = [...watchers]
    try {
      for (const index of await find(asked.map(({ target }) => target))) asked[index]?.ring()
      isFailing = false
    } catch (error) {
      // Waiting requests are answered when their time is over: the database may be back by then.
      if (!isFailing && !isOutage(error)) {
        logger.warn(
          { err: error },
          'requests with `wait` are answered late: changes cannot be read from the database',
        )
      }
      isFailing = true
    }
    isLooking = false
    schedule()
  }

  function schedule(): void {
    if (timer === undefined && !isLooking && watchers.size > 0) timer = setTimeout(look, LOOK_EVERY_MS)
  }

  return (target, ring) => {
    const watcher = { target, ring }
    watchers.add(watcher)
    schedule()
    return () => {
      watchers.delete(watcher)
      if (watchers.size > 0) return
      clearTimeout(timer)
      timer = undefined
    }
  }
}

/** A request that waits. */
interface Wait<Answer> {
  readonly apiKeyId: string
  readonly waitMs: number
  /** Aborts if the client disconnects. */
  clientSignal(): AbortSignal
  /** The answer without a wait. */
  readonly first: Answer
  isNews(answer: Answer): boolean
  /** See Lookout. */
  watch(answer: Answer, ring: () => void): () => void
  /** Reads again, after the previous answer. */
  read(answer: Answer): Promise<Answer>
}

/** The requests of a process that wait. They hold no database connection. */
export interface Waits {
  /** The first answer with news, or the last one when the time is over. Does not wait if too many already do. */
  hold<Answer>(wait: Wait<Answer>): Promise<Answer>
  /** Answers all of them, when the server closes. */
  close(): void
}

export function createWaits({
  eventWaits,
  eventWaitsPerApiKey,
}: Pick<Limits, 'eventWaits' | 'eventWaitsPerApiKey'>): Waits {
  const places = new Map<string, number>()
  const asleep = new Set<() => void>()
  let taken = 0
  let isClosed = false

  function enter(apiKeyId: string): boolean {
    const ofKey = places.get(apiKeyId) ?? 0
    if (isClosed || taken >= eventWaits || ofKey >= eventWaitsPerApiKey) return false
    taken += 1
    places.set(apiKeyId, ofKey + 1)
    return true
  }

  function leave(apiKeyId: string): void {
    taken -= 1
    const left = (places.get(apiKeyId) ?? 1) - 1
    if (left === 0) places.delete(apiKeyId)
    else places.set(apiKeyId, left)
  }

  /** Resolves when there may be news, the time is over, the client has gone or the server closes. */
  function sleep<Answer>(
    { watch }: Wait<Answer>,
    answer: Answer,
    ms: number,
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout)
        unwatch()
        asleep.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timeout = setTimeout(wake, ms)
      const unwatch = watch(answer, wake)
      asleep.add(wake)
      signal.addEventListener('abort', wake)
      if (signal.aborted || isClosed) wake()
    })
  }

  return {
    async hold(wait) {
      const { apiKeyId, waitMs, first, isNews, read } = wait
      if (waitMs === 0 || isNews(first) || !enter(apiKeyId)) return first
      const signal = wait.clientSignal()
      const endsAt = performance.now() + waitMs
      try {
        for (let answer = first; ; ) {
          const leftMs = endsAt - performance.now()
          if (isNews(answer) || leftMs <= 0) return answer
          await sleep(wait, answer, leftMs, signal)
          // All waits end at once when the server closes: none reads again, or most would wait for a connection in vain.
          if (signal.aborted || isClosed) return answer
          answer = await read(answer)
        }
      } finally {
        leave(apiKeyId)
      }
    },
    close() {
      isClosed = true
      for (const wake of [...asleep]) wake()
    },
  }
}

/** The wait that a query asks for; its validation is elsewhere. */
export function waitMsOf({ wait }: { readonly wait?: unknown }): number {
  return /^\d+$/.test(String(wait)) ? Math.min(Number(wait), LONGEST_WAIT_SECONDS) * 1000 : 0
}
