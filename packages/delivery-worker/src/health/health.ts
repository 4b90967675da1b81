import { CLOCK_WARN_MS, CLOCK_WRONG_MS } from '@quickquote/core/internal'

/** How a worker is. Read from memory: asking costs nothing, and asks the database nothing. */
export interface WorkerHealth {
  /** Whether it does its work: it runs, the others know that it lives, and the database lets it claim and record. */
  readonly ready: boolean
  /** Why it is not ready, for people. Empty when it is. */
  readonly reasons: readonly string[]
  /** What is wrong though the worker does its work, for people: what somebody should look at. */
  readonly warnings: readonly string[]
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping'
  /** Attempts that are under way. */
  readonly in_flight: number
  /** Milliseconds since the database last took a sign of life. null: it does not run. */
  readonly heartbeat_age_ms: number | null
  /** Milliseconds by which the clock of this machine is ahead of the database's; negative: behind. null: it does not run. */
  readonly clock_ahead_ms: number | null
}

/** What a worker knows of itself while it runs. */
export interface Vitals {
  readonly inFlight: number
  readonly heartbeatAgeMs: number
  /** For how long deliveries can not be claimed or recorded; 0: they can. */
  readonly failingForMs: number
  readonly clockAheadMs: number
  /** How many secrets need each encryption key that is missing, by the id of the key. */
  readonly missingKeys: ReadonlyMap<string, number>
  readonly warnings: readonly string[]
}

/** @param toleratedMs how long something may go wrong: as long as the other workers wait before they take over */
export function assessHealth(
  state: WorkerHealth['state'],
  vitals: Vitals | undefined,
  toleratedMs: number,
): WorkerHealth {
  const { inFlight = 0, heartbeatAgeMs = null, failingForMs = 0, clockAheadMs = null } = vitals ?? {}
  const reasons: string[] = []
  const warnings = [...(vitals?.warnings ?? [])]
  if (state !== 'running') reasons.push(`the worker is ${state}`)
  if (heartbeatAgeMs !== null && heartbeatAgeMs > toleratedMs) {
    reasons.push(`the database has taken no heartbeat for ${heartbeatAgeMs} ms`)
  }
  if (failingForMs > toleratedMs) {
    reasons.push(`deliveries cannot be claimed or recorded for ${failingForMs} ms`)
  }
  const clockIsOffMs = Math.abs(clockAheadMs ?? 0)
  if (clockIsOffMs >= CLOCK_WARN_MS) {
    const where = (clockAheadMs ?? 0) > 0 ? 'ahead of' : 'behind'
    const message = `the clock of this machine is ${Math.round(clockIsOffMs / 1000)} s ${where} the database's`
    if (clockIsOffMs >= CLOCK_WRONG_MS) reasons.push(message)
    else warnings.push(message)
  }
  for (const [keyId, secrets] of vitals?.missingKeys ?? []) {
    reasons.push(`the encryption key "${keyId}" is missing: ${secrets} secrets of endpoints need it`)
  }
  return {
    ready: reasons.length === 0,
    reasons,
    warnings,
    state,
    in_flight: inFlight,
    heartbeat_age_ms: heartbeatAgeMs,
    clock_ahead_ms: clockAheadMs,
  }
}
