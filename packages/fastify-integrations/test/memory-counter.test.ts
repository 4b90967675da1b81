import { randomInt } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../src/auth/client-address.ts'
import { memoryCounter } from '../src/limits/memory-counter.ts'
import type { Count } from '../src/limits/request-counter.ts'

/** Only the clock is fake, because a window lasts a minute. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const take = (counter: ReturnType<typeof memoryCounter>, key: string, max: number) =>
  counter.take([{ key, max }]) as Count

describe('memoryCounter', () => {
  it('accepts a request as soon as one has left the window, and reports when that is', () => {
    const counter = memoryCounter()
    expect(take(counter, 'a', 2)).toMatchObject({
      isAdmitted: true,
      states: [{ left: 1, growsInMs: 60_000 }],
    })
    vi.advanceTimersByTime(59_000)
    expect(take(counter, 'a', 2)).toMatchObject({ isAdmitted: true, states: [{ left: 0, growsInMs: 1000 }] })
    expect(take(counter, 'a', 2)).toMatchObject({ isAdmitted: false, states: [{ left: 0, growsInMs: 1000 }] })
    expect(take(counter, 'b', 2)).toMatchObject({ isAdmitted: true })
    vi.advanceTimersByTime(1000)
    expect(take(counter, 'a', 2)).toMatchObject({
      isAdmitted: true,
      states: [{ left: 0, growsInMs: 59_000 }],
    })
    expect(take(counter, 'a', 2)).toMatchObject({
      isAdmitted: false,
      states: [{ left: 0, growsInMs: 59_000 }],
    })
  })

  it('counts a request that takes several places as a whole or not at all, and reports when it fits', () => {
    const counter = memoryCounter()
    const wide = [{ key: 'a', max: 7, cost: 5 }]
    for (let count = 0; count < 4; count += 1) {
      take(counter, 'a', 7)
      vi.advanceTimersByTime(1000)
    }
    // Five places are free once the first two have left.
    expect(counter.take(wide)).toMatchObject({ isAdmitted: false, states: [{ left: 3, growsInMs: 57_000 }] })
    vi.advanceTimersByTime(56_999)
    expect(counter.take(wide)).toMatchObject({ isAdmitted: false, states: [{ left: 4, growsInMs: 1 }] })
    vi.advanceTimersByTime(1)
    expect(counter.take(wide)).toMatchObject({ isAdmitted: true, states: [{ left: 0 }] })
  })

  it('forgets every place of a request that is given back', () => {
    const counter = memoryCounter()
    const wide = [{ key: 'a', max: 7, cost: 5 }]
    const { at } = counter.take(wide) as Count
    vi.advanceTimersByTime(1)
    take(counter, 'a', 7)
    counter.giveBack(wide, at)
    expect(counter.take(wide)).toMatchObject({ isAdmitted: true, states: [{ left: 1 }] })
  })

  it('counts in several limits or in none', () => {
    const counter = memoryCounter()
    const both = [
      { key: 'all', max: 3 },
      { key: 'some', max: 1 },
    ]
    expect(counter.take(both)).toMatchObject({ isAdmitted: true, states: [{ left: 2 }, { left: 0 }] })
    expect(counter.take(both)).toMatchObject({ isAdmitted: false, states: [{ left: 2 }, { left: 0 }] })
    expect(take(counter, 'all', 3)).toMatchObject({ states: [{ left: 1 }] })
    expect(take(counter, 'all', 3)).toMatchObject({ states: [{ left: 0 }] })
    const others = [
      { key: 'all', max: 3 },
      { key: 'unused', max: 1 },
    ]
    expect(counter.take(others)).toMatchObject({
      isAdmitted: false,
      states: [{ left: 0 }, { left: 1, growsInMs: 0 }],
    })
  })

  it('forgets a request that is given back', () => {
    const counter = memoryCounter()
    const limits = [{ key: 'a', max: 1 }]
    const { at } = take(counter, 'a', 1)
    counter.giveBack(limits, at)
    expect(take(counter, 'a', 1)).toMatchObject({ isAdmitted: true })
  })

  it('gives back nothing else for a request it has already forgotten', () => {
    const counter = memoryCounter()
    const limits = [{ key: 'a', max: 1 }]
    expect(() => counter.giveBack(limits, 0)).not.toThrow()
    const { at } = take(counter, 'a', 1)
    vi.advanceTimersByTime(60_000)
    expect(take(counter, 'a', 1).isAdmitted).toBe(true)
    // Its own time has left the window: the newer request stays counted.
    counter.giveBack(limits, at)
    expect(take(counter, 'a', 1).isAdmitted).toBe(false)
  })

  it('enforces the limit in any 60 seconds, and refuses no request for which there is room', () => {
    const counter = memoryCounter()
    const max = 20
    const passed: number[] = []
    for (let request = 0; request < 20_000; request += 1) {
      // Mostly bursts, and at times a pause.
      vi.advanceTimersByTime(randomInt(50) === 0 ? randomInt(70_000) : randomInt(500))
      const now = performance.now()
      const inWindow = passed.filter((time) => time > now - 60_000).length
      expect(take(counter, 'a', max).isAdmitted).toBe(inWindow < max)
      if (inWindow < max) passed.push(now)
    }
    const spans = passed.slice(max).map((time, index) => time - (passed[index] ?? Number.NaN))
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(60_000)
  })

  it('keeps each of many clients for a minute, however long it has been running', () => {
    const counter = memoryCounter()
    const takeAll = () => Array.from({ length: 10 }, (_, key) => take(counter, String(key), 1).isAdmitted)
    vi.advanceTimersByTime(100_000)
    expect(takeAll()).toEqual(Array(10).fill(true))
    vi.advanceTimersByTime(59_999)
    expect(takeAll()).toEqual(Array(10).fill(false))
    vi.advanceTimersByTime(1)
    expect(takeAll()).toEqual(Array(10).fill(true))
  })

  it('drops only the least recently seen clients beyond 100,000', () => {
    const counter = memoryCounter()
    take(counter, 'idle', 2)
    for (let key = 0; key < 100_000; key += 1) {
      take(counter, String(key), 1)
      if (key % 1000 === 0) take(counter, 'busy', 2)
    }
    expect(take(counter, 'busy', 2).isAdmitted).toBe(false)
    expect(take(counter, '99999', 1).isAdmitted).toBe(false)
    expect(take(counter, 'idle', 2)).toMatchObject({ states: [{ left: 1 }] })
  })

  it('stores about a hundred bytes per client, even for a header of 14 KB', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const counter = memoryCounter()
    const before = heap()
    for (let client = 0; client < 10_000; client += 1) {
      const header = `${client}${'x'.repeat(14_000)}, 2001:db8:${client.toString(16)}::1`
      const junk = header.slice(0, 14_000)
      const address = header.slice(header.indexOf(' ') + 1)
      for (const ip of [junk, address]) take(counter, `failures:{${clientOf({ ip })}}`, 30)
    }
    // 20,000 clients: 290 MB if the headers were kept.
    expect(heap() - before).toBeLessThan(20_000 * 500)
  })
})
