/** Counts the claims of a loop, and serves those waiting until it finds nothing to do. */
export interface IdleWaits {
  /** Resolves after a whole round that found nothing, or with false once the loop has ended. */
  idle(): Promise<boolean>
  /** Claims so far. */
  claims(): number
  claimed(count: number): void
  /** Call it before a round claims, and the result after it. */
  round(): (isIdle: boolean) => void
  end(): void
}

/**
 * @param look begins a round soon
 */
export function createIdleWaits(look: () => void): IdleWaits {
  const waiting = new Set<(isIdle: boolean) => void>()
  let claims = 0
  let hasEnded = false

  function resolve(waits: Iterable<(isIdle: boolean) => void>, isIdle: boolean): void {
    for (const each of waits) {
      waiting.delete(each)
      each(isIdle)
    }
  }

  return {
    idle() {
      if (hasEnded) return Promise.resolve(false)
      look()
      return new Promise((onIdle) => void waiting.add(onIdle))
    },
    claims: () => claims,
    claimed(count) {
      claims += count
    },
    round() {
      // A wait that begins during a round needs the next one: this claim may have been made already.
      const before = [...waiting]
      return (isIdle) => {
        if (isIdle) resolve(before, true)
      }
    },
    end() {
      hasEnded = true
      resolve(waiting, false)
    },
  }
}
