import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClaimSize } from '../src/deliveries/claim-size.ts'

afterEach(() => vi.useRealTimers())

const LITTLE = { claims: 100, limit: 300, isMore: true }

function open({ isAlone = false, waiting = 100 } = {}) {
  vi.useFakeTimers({ toFake: ['performance'] })
  const of = { isAlone, waiting }
  const size = createClaimSize({ concurrency: 400, isAlone: () => of.isAlone, waiting: () => of.waiting })
  return { size, of }
}

describe('beside other workers, after a round that found less than half of what it could claim', () => {
  it('no more are claimed than will soon be sent, for a second', () => {
    const { size, of } = open()
    expect(size.of(300)).toBe(300)
    size.claimed(LITTLE)
    of.waiting = 60
    expect(size.of(300)).toBe(140)
    expect(size.of(40)).toBe(40)
    vi.advanceTimersByTime(1001)
    expect(size.of(300)).toBe(300)
  })

  it('some are claimed however many wait', () => {
    const { size } = open({ waiting: 500 })
    size.claimed(LITTLE)
    expect(size.of(300)).toBe(50)
  })
})

it.each([
  ['a worker alone', { isAlone: true }, LITTLE],
  ['a round that found enough', {}, { ...LITTLE, claims: 150 }],
  ['a round that left nothing', {}, { ...LITTLE, isMore: false }],
])('%s fills all its places', (_, options, claim) => {
  const { size } = open(options)
  size.claimed(claim)
  expect(size.of(300)).toBe(300)
})
