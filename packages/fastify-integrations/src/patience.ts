/** How long a client may take to send a body: `graceMs` in any case, and a second more for every `bytesPerSecond` that came. */
export interface Patience {
  readonly graceMs: number
  readonly bytesPerSecond: number
}

/** A client that sends a byte a second is given up after half a minute; one that is ten times slower than a bad telephone line is not. */
export const DEFAULT_PATIENCE: Patience = Object.freeze({ graceMs: 30_000, bytesPerSecond: 16 * 1024 })

/** Measures how long a body is waited for. The time that it takes to store what came is not the client's. */
export interface PatienceClock {
  /** Waiting begins. */
  start(): void
  /** Something came. */
  stop(bytes: number): void
  /** Bytes that came so far. */
  received(): number
}

/** @param giveUp is called once, when the client has used up its time */
export function patienceClock({ graceMs, bytesPerSecond }: Patience, giveUp: () => void): PatienceClock {
  let timer: NodeJS.Timeout | undefined
  let startedAt: number | null = null
  let waitedMs = 0
  let received = 0
  return {
    start() {
      startedAt = performance.now()
      timer = setTimeout(giveUp, graceMs + (received / bytesPerSecond) * 1000 - waitedMs)
    },
    stop(bytes) {
      clearTimeout(timer)
      if (startedAt !== null) waitedMs += performance.now() - startedAt
      startedAt = null
      received += bytes
    },
    received: () => received,
  }
}
