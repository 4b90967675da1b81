import { expect, it } from 'vitest'
import type { FoundRound } from '../src/deliveries/deliveries.sql.ts'
import { begin, FIRST_ROUND, next, type RoundState } from '../src/deliveries/look.ts'

const now = new Date('2026-11-21T10:00:00.000Z')
const [early, late] = [new Date(now.getTime() - 60_000), new Date(now.getTime() - 30_000)]
const LIMIT = 100
const FOUND: FoundRound = {
  walked_to: null,
  is_long: false,
  first_due_at: early,
  first_open_at: null,
  last_due_at: late,
  entries_read: 0,
  is_more: false,
  is_catching_up: false,
  next_due_at: null,
  endpoints: null,
}

/** A round after others. */
function roundOf(
  state: RoundState,
  {
    claims = 0,
    full = [] as string[],
    time = 0,
    ...found
  }: Partial<FoundRound> & Record<string, unknown> = {},
): RoundState {
  const begun = begin(state, { full: full as string[], limit: LIMIT, now, time: time as number })
  return next(begun, { claims: claims as number, round: { ...FOUND, ...found } }).memory.state
}

const resumed = roundOf(FIRST_ROUND, { claims: LIMIT })
const passing = roundOf(FIRST_ROUND, { full: ['big'], is_long: true })

it.each<[string, RoundState, RoundState['mode'] | object]>([
  ['full, while everything due is claimed', roundOf(FIRST_ROUND, { claims: 3 }), { kind: 'full' }],
  ['resumed, in a backlog', resumed, { kind: 'resumed', from: early }],
  [
    'resumed, if the index has many dead entries',
    roundOf(FIRST_ROUND, { entries_read: 20_000 }),
    { kind: 'resumed' },
  ],
  ['full, after a small claim', roundOf(resumed, { claims: 3 }), { kind: 'full' }],
  [
    'passing, behind organizations that have all their places',
    passing,
    { kind: 'passing', from: late, over: ['big'] },
  ],
  [
    'passing, until one of them has places again',
    roundOf(passing, { full: ['big'] }),
    { kind: 'passing', over: ['big'] },
  ],
  ['full, once one has', roundOf(passing), { kind: 'full' }],
  [
    'walking, if a walk stopped early',
    roundOf(passing, { full: ['big'], walked_to: 'e' }),
    { kind: 'walking', after: 'e', look: { kind: 'passing' } },
  ],
])('the next round is %s', (_, { mode }, expected) => {
  expect(mode).toMatchObject(expected)
})

it('everything is examined again when it is time, later the slower that is', () => {
  const dueAfter = (state: RoundState, time: number) =>
    begin(state, { full: [], limit: LIMIT, now, time }).dueAfter
  expect(dueAfter(resumed, 999)).toEqual(new Date(early.getTime() - 1))
  expect(dueAfter(resumed, 1000)).toBeNull()
  const slow = roundOf(FIRST_ROUND, { claims: LIMIT, entries_read: 1_000_000 })
  expect(dueAfter(slow, 4999)).not.toBeNull()
  expect(dueAfter(slow, 5000)).toBeNull()
})

it('a round expects as many as the last one claimed, and walks if more were hidden behind them', () => {
  expect(roundOf(FIRST_ROUND, { claims: 8 }).expects).toBe('few')
  expect(roundOf(FIRST_ROUND, { claims: 9 }).expects).toBe('many')
  expect(roundOf(FIRST_ROUND, { claims: 9, is_long: true }).expects).toBe('hidden')
})
