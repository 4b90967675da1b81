import { FEW } from '@quickquote/core/internal'
import type { FoundRound } from './deliveries.sql.ts'

/**
 * What the rounds of a worker examine:
 *
 * - `full`: everything due.
 * - `resumed`: what is due from a time on. Before it the index holds dead entries, and nothing that could be claimed.
 * - `passing`: the same, and before it are also deliveries of organizations that have all their places.
 * - `walking`: a walk over the endpoints, which reveals what a long backlog hides, goes on after one of them.
 */
type Mode = Look | { readonly kind: 'walking'; readonly after: string; readonly look: Look }

type Look =
  | { readonly kind: 'full' }
  | { readonly kind: 'resumed'; readonly from: Date }
  | { readonly kind: 'passing'; readonly from: Date; readonly over: readonly string[] }

/** What a worker's rounds know of those before them. */
export interface RoundState {
  readonly mode: Mode
  /** `hidden`: the oldest due deliveries did not fill the last round, and more wait behind them. */
  readonly expects: 'few' | 'many' | 'hidden'
  /** When a round examines everything due again, in milliseconds of the monotonic clock. */
  readonly fullAt: number
  /** That is slow, because the index has many dead entries. */
  readonly isSlow: boolean
}

interface At {
  /** Organizations that have all their places. */
  readonly full: readonly string[]
  readonly limit: number
  readonly now: Date
  /** Of the monotonic clock. */
  readonly time: number
}

/** A round that begins. */
interface Begun extends At {
  readonly state: RoundState
  readonly look: Look
  /** Only what is due after this time is examined; null: everything. */
  readonly dueAfter: Date | null
}

/**
 * While draining a backlog, a round always looks at the last second, for late commits. From time to time, and whenever a
 * round would claim little, it examines everything.
 */
const OVERLAP_MS = 1000
const FULL_LOOK_MS = 1000

/**
 * A scan of more index entries is slow: a long transaction has blocked vacuum for a while. Then small claims, too, start
 * where the previous round did, and the next full scan comes later the longer the last one was. It takes 5 % of a
 * worker's time at most, if an entry takes 0.25 µs.
 */
const SLOW_LOOK_ENTRIES = 10_000
const FULL_LOOK_MS_PER_ENTRY = 0.005

/** A smaller claim is not a backlog. */
const LARGE_CLAIM = 64

const FULL: Look = { kind: 'full' }

export const FIRST_ROUND: RoundState = {
  mode: FULL,
  expects: 'few',
  fullAt: Number.NEGATIVE_INFINITY,
  isSlow: false,
}

/** `passing` ends when one of its organizations has places again; and everything is examined when it is time. */
export function begin(state: RoundState, at: At): Begun {
  const { mode, fullAt } = state
  const known = mode.kind === 'walking' ? mode.look : mode
  const isOver = known.kind === 'passing' && !known.over.every((each) => at.full.includes(each))
  const look = isOver ? FULL : known
  const dueAfter = look.kind === 'full' || at.time >= fullAt ? null : justBefore(look.from, at.now)
  return { ...at, state, look, dueAfter }
}

/** The state after a round, and when to look again. A walk that stopped early goes on from there. */
export function next(
  begun: Begun,
  { claims, round }: { claims: number; round: FoundRound },
): {
  readonly memory: { readonly state: RoundState }
  /** null: when something happens. */
  readonly nextDueAt: Date | null
  /** Nothing was left out. */
  readonly isAtTheEnd: boolean
} {
  const { state, dueAfter, limit, now, time } = begun
  const { fullAt, isSlow } = dueAfter === null ? fullLookAfter(round.entries_read, time) : state
  const { look, mayWait } = lookAfter(begun, claims, round, isSlow)
  const sawAllAhead = dueAfter === null || claims === limit
  const after = round.walked_to
  const isAtTheEnd = after === null && (sawAllAhead || mayWait)
  const dueAt = round.is_more || !isAtTheEnd ? now : round.next_due_at
  const fullLookAt = new Date(now.getTime() + fullAt - time)
  const mode: Mode = after === null ? look : { kind: 'walking', after, look }
  const expects = round.is_long && claims < limit / 2 ? 'hidden' : claims <= FEW ? 'few' : 'many'
  return {
    // A round that only records sees nothing.
    memory: { state: limit === 0 ? state : { mode, expects, fullAt, isSlow } },
    nextDueAt: sawAllAhead || (dueAt !== null && dueAt < fullLookAt) ? dueAt : fullLookAt,
    isAtTheEnd,
  }
}

/** What the next round examines, and whether the rest may wait for the next full look. */
function lookAfter(
  { look, dueAfter, full, limit, now }: Begun,
  claims: number,
  round: FoundRound,
  isSlow: boolean,
): { readonly look: Look; readonly mayWait: boolean } {
  const passed = dueAfter !== null && look.kind === 'passing' ? look.over : []
  const onward = lookFrom(round.first_due_at ?? now, passed)
  // A backlog: it goes on from the first delivery that this round found.
  if (claims >= Math.max(LARGE_CLAIM, limit / 2)) return { look: onward, mayWait: isSlow }
  // Organizations that have all their places hide what others have due: it goes on behind them.
  if (full.length > 0 && (round.is_long || passed.length > 0)) {
    return { look: lookFrom(passedTo(round, look, now), full), mayWait: true }
  }
  // As in a backlog, because it would be slow to examine everything.
  if (isSlow) return { look: onward, mayWait: true }
  return { look: FULL, mayWait: false }
}

function lookFrom(from: Date, over: readonly string[]): Look {
  return over.length === 0 ? { kind: 'resumed', from } : { kind: 'passing', from, over }
}

/** The scan begins after this time, which has no microseconds. */
function justBefore(from: Date, now: Date): Date {
  return new Date(Math.min(from.getTime() - 1, now.getTime() - OVERLAP_MS))
}

/** A look that met only deliveries to pass over continues where the looks before it ended. */
function passedTo({ first_open_at, last_due_at, is_long }: FoundRound, look: Look, now: Date): Date {
  if (first_open_at !== null) return first_open_at
  const last = (is_long ? last_due_at : null) ?? now
  return look.kind !== 'full' && look.from > last ? look.from : last
}

function fullLookAfter(entriesRead: number, time: number): Pick<RoundState, 'fullAt' | 'isSlow'> {
  return {
    fullAt: time + Math.max(FULL_LOOK_MS, entriesRead * FULL_LOOK_MS_PER_ENTRY),
    isSlow: entriesRead > SLOW_LOOK_ENTRIES,
  }
}
