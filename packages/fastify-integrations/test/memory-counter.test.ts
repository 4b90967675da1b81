import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryCounter } from '../src/memory-counter.ts'

/** The clock alone is not real here: a window lasts a minute. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function count(counter: ReturnType<typeof memoryCounter>, key: string) {
  let answer: { current: number; ttl: number } | undefined
  counter.incr(key, (_, result) => (answer = result), 60_000, 10)
  return answer
}

describe('memoryCounter', () => {
  it('counts each key in a window that begins with its first request', () => {
    const counter = memoryCounter()
    expect(count(counter, 'a')).toEqual({ current: 1, ttl: 60_000 })
    vi.advanceTimersByTime(59_999)
    expect(count(counter, 'b')).toEqual({ current: 1, ttl: 60_000 })
    expect(count(counter, 'a')).toEqual({ current: 2, ttl: 1 })
    vi.advanceTimersByTime(1)
    expect(count(counter, 'a')).toEqual({ current: 1, ttl: 60_000 })
    expect(count(counter, 'b')).toEqual({ current: 2, ttl: 59_999 })
  })

  it('answers with a number that does not change afterwards', () => {
    const counter = memoryCounter()
    const first = count(counter, 'a')
    count(counter, 'a')
    expect(first?.current).toBe(1)
  })

  it('forgets the oldest window when there are 100,000', () => {
    const counter = memoryCounter()
    for (let key = 0; key < 100_000; key += 1) count(counter, String(key))
    expect(count(counter, '0')).toMatchObject({ current: 2 })
    count(counter, 'one more')
    expect(count(counter, '1')).toMatchObject({ current: 2 })
    expect(count(counter, '0')).toMatchObject({ current: 1 })
  })
})
