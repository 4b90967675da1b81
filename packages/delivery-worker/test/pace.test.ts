import { describe, expect, it } from 'vitest'
import { createPace } from '../src/deliveries/pace.ts'

const now = new Date('2026-11-21T10:00:00.000Z')
const pace = () => createPace(1000, () => now)

describe('after a claim, while more is due, the next round is', () => {
  it('at once, if it has filled free places', () => {
    expect(pace().afterClaim({ claims: 50, limit: 100, free: 100, settled: 49, nextDueAt: now })).toBe(0)
  })

  it('a batch of outcomes later, if it took only the places of those that it recorded', () => {
    const steady = pace()
    steady.took(10)
    expect(steady.afterClaim({ claims: 50, limit: 100, free: 100, settled: 50, nextDueAt: now })).toBe(20)
    expect(steady.batchMs()).toBe(20)
  })

  it('a batch of outcomes later, if more would only wait for a socket', () => {
    const limited = { limit: 40, free: 100, settled: 0 }
    expect(pace().afterClaim({ ...limited, claims: 40, nextDueAt: null })).toBe(pace().batchMs())
    expect(pace().afterClaim({ ...limited, claims: 30, nextDueAt: now })).toBe(pace().batchMs())
  })

  it('up to 10, 20, 40 ms later, if another worker claims everything', () => {
    const found = pace()
    for (const most of [10, 20, 40]) {
      expect(found.afterClaim({ claims: 0, limit: 100, free: 100, settled: 0, nextDueAt: now })).toBeLessThan(
        most,
      )
    }
  })
})
