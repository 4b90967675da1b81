/** The period of every limit. */
export const WINDOW_MS = 60_000

/** A maximum for any 60 seconds. */
export interface Limit {
  /** Names the limit. Limits taken together share the part in braces, which keeps them on one node of Redis Cluster. */
  readonly key: string
  /** At least 1. */
  readonly max: number
  /** The places that a request takes, at most `max`. Default: 1. */
  readonly cost?: number
}

/** The state of a limit. */
interface LimitState {
  readonly left: number
  /** Milliseconds until `left` grows, or is enough for a refused request; 0 if nothing is used. */
  readonly growsInMs: number
}

/** The result of `take`. */
export interface Count {
  readonly isAdmitted: boolean
  /** In the order of the limits. */
  readonly states: readonly LimitState[]
  /** The time of the count, for `giveBack`. */
  readonly at: number
}

/** Counts accepted requests in a sliding window of 60 seconds. */
export interface RequestCounter {
  /** Counts a request in all limits if each has room for all of it, otherwise in none: refused requests do not count. */
  take(limits: readonly Limit[]): Count | Promise<Count>
  /** Removes a request counted by `take` at that time. */
  giveBack(limits: readonly Limit[], at: number): void | Promise<void>
}
