import { type RequestCounter, WINDOW_MS } from './request-counter.ts'

/** The maximum number of counted keys and addresses. Beyond it, the least recently seen are dropped. */
const MAX_COUNTED = 100_000

/** Counts in this process. */
export function memoryCounter(): RequestCounter {
  // Two generations: entries that are seen again move to the new one, and the old one is dropped as a whole. In a
  // single map, finding the oldest entry among removed ones gets slower as it grows.
  let generation = new Map<string, PassedTimes>()
  let previous = new Map<string, PassedTimes>()
  let begunAt = performance.now()

  function find(key: string): PassedTimes | undefined {
    const known = generation.get(key) ?? previous.get(key)
    if (known !== undefined) keep(key, known)
    return known
  }

  function keep(key: string, times: PassedTimes): void {
    const now = performance.now()
    if (now - begunAt >= WINDOW_MS || generation.size >= MAX_COUNTED / 2) {
      previous = generation
      generation = new Map()
      begunAt = now
    }
    generation.set(key, times)
  }

  return {
    take(limits) {
      const now = performance.now()
      const counted = limits.map(({ key, max, cost = 1 }) => {
        return { key, max, cost, times: find(key) ?? new PassedTimes() }
      })
      const isAdmitted = counted.every(
        ({ max, cost, times }) => times.countSince(now - WINDOW_MS) + cost <= max,
      )
      const states = counted.map(({ key, max, cost, times }) => {
        if (isAdmitted) {
          for (let place = 0; place < cost; place += 1) times.add(now)
          keep(key, times)
        }
        const tooMany = isAdmitted ? 0 : Math.max(0, times.count + cost - max - 1)
        const leaving = times.at(tooMany)
        const growsInMs = leaving === undefined ? 0 : leaving + WINDOW_MS - now
        return { left: Math.max(0, max - times.count), growsInMs }
      })
      return { isAdmitted, states, at: now }
    },
    giveBack(limits, at) {
      for (const { key, cost = 1 } of limits) find(key)?.remove(at, cost)
    },
  }
}

/** The times of accepted requests, oldest first, at most as many as the limit. Removing the first moves nothing. */
class PassedTimes {
  readonly #times: number[] = []
  #first = 0

  get count(): number {
    return this.#times.length - this.#first
  }

  /** 0 is the oldest. */
  at(place: number): number | undefined {
    return this.#times[this.#first + place]
  }

  /** Removes times up to and including the given one. */
  countSince(time: number): number {
    while ((this.at(0) ?? Infinity) <= time) this.#first += 1
    if (this.#first * 2 > this.#times.length) {
      this.#times.splice(0, this.#first)
      this.#first = 0
    }
    return this.count
  }

  add(time: number): void {
    this.#times.push(time)
  }

  /** Removes a request that took so many places. */
  remove(time: number, places: number): void {
    const index = this.#times.indexOf(time, this.#first)
    if (index !== -1) this.#times.splice(index, places)
  }
}
