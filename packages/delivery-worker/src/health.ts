/** How a worker is. Read from memory: asking costs nothing, and asks the database nothing. */
export interface WorkerHealth {
  /** Whether it does its work: it runs, the others know that it lives, and the database lets it claim and record. */
  readonly ready: boolean
  /** Why it is not ready, for people. Empty when it is. */
  readonly reasons: readonly string[]
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping'
  /** Attempts that are under way. */
  readonly in_flight: number
  /** Milliseconds since the database last took a sign of life. null: it does not run. */
  readonly heartbeat_age_ms: number | null
}

/** What a worker knows of itself while it runs. */
export interface Vitals {
  readonly inFlight: number
  readonly heartbeatAgeMs: number
  /** For how long deliveries can not be claimed or recorded; 0: they can. */
  readonly failingForMs: number
}

/** @param toleratedMs how long something may go wrong: as long as the other workers wait before they take over */
export function assessHealth(
  state: WorkerHealth['state'],
  vitals: Vitals | undefined,
  toleratedMs: number,
): WorkerHealth {
  const { inFlight = 0, heartbeatAgeMs = null, failingForMs = 0 } = vitals ?? {}
  const reasons: string[] = []
  if (state !== 'running') reasons.push(`the worker is ${state}`)
  if (heartbeatAgeMs !== null && heartbeatAgeMs > toleratedMs) {
    reasons.push(`the database has taken no heartbeat for ${heartbeatAgeMs} ms`)
  }
  if (failingForMs > toleratedMs) {
    reasons.push(`deliveries cannot be claimed or recorded for ${failingForMs} ms`)
  }
  return {
    ready: reasons.length === 0,
    reasons,
    state,
    in_flight: inFlight,
    heartbeat_age_ms: heartbeatAgeMs,
  }
}
