import { type RequestCounter, WINDOW_MS } from './request-counter.ts'

/** How many keys and addresses are counted at once. Beyond, those that were not seen for longest are forgotten. */
const MAX_COUNTED = 100_000

/** Counts in this process. */
export function memoryCounter(): RequestCounter {
  // Two generations: what is seen again moves to the new one, and the old one is dropped whole. A single map would
  // have to find its oldest entry among the holes of those that were removed, which costs more the more there are.
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
      const counted = limits.map(({ key, max }) => ({ key, max, times: find(key) ?? new PassedTimes() }))
      const isAdmitted = counted.every(({ max, times }) => times.countSince(now - WINDOW_MS) < max)
      const states = counted.map(({ key, max, times }) => {
        if (isAdmitted) {
          times.add(now)
          keep(key, times)
        }
        const { oldest } = times
        const growsInMs = oldest === undefined ? 0 : oldest + WINDOW_MS - now
        return { left: Math.max(0, max - times.count), growsInMs }
      })
      return { isAdmitted, states, at: now }
    },
    giveBack(limits, at) {
      for (const { key } of limits) find(key)?.remove(at)
    },
  }
}

/** When requests were let through, the oldest first. Never more than the limit, and what is removed first is not moved. */
class PassedTimes {
  readonly #times: number[] = []
  #first = 0

  get count(): number {
    return this.#times.length - this.#first
  }

  get oldest(): number | undefined {
    return this.#times[this.#first]
  }

  /** Forgets what is not after the given time. */
  countSince(time: number): number {
    while ((this.oldest ?? Infinity) <= time) this.#first += 1
    if (this.#first * 2 > this.#times.length) {
      this.#times.splice(0, this.#first)
      this.#first = 0
    }
    return this.count
  }

  add(time: number): void {
    this.#times.push(time)
  }

  remove(time: number): void {
    const index = this.#times.indexOf(time, this.#first)
    if (index !== -1) this.#times.splice(index, 1)
  }
}
