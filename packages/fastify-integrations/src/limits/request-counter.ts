/** The span of time that every limit is about. */
export const WINDOW_MS = 60_000

/** How often something may happen in any 60 seconds. */
export interface Limit {
  /** What is counted. Limits that are taken together have the same part in braces: Redis Cluster keeps them together. */
  readonly key: string
  /** At least 1. */
  readonly max: number
}

/** What is left of a limit. */
interface LimitState {
  readonly left: number
  /** Milliseconds until `left` grows; 0 while nothing is used. */
  readonly growsInMs: number
}

/** What `take` found. */
export interface Count {
  readonly isAdmitted: boolean
  /** In the order of the limits. */
  readonly states: readonly LimitState[]
  /** When it was counted, for `giveBack`. */
  readonly at: number
}

/**
 * Counts what was let through in the last 60 seconds, request by request: a sliding window, so that a limit holds for
 * every span of 60 seconds.
 */
export interface RequestCounter {
  /** Counts a request in all of the limits if each has room, else in none: a refused request does not count. */
  take(limits: readonly Limit[]): Count | Promise<Count>
  /** Forgets what `take` counted at that time. */
  giveBack(limits: readonly Limit[], at: number): void | Promise<void>
}
