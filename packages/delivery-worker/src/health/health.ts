import { CLOCK_WARN_MS, CLOCK_WRONG_MS, type UnusableKey } from '@quickquote/core/internal'

/** The health of a worker, from memory: no query. */
export interface WorkerHealth {
  /** Whether it is working: it runs, the others know it is alive, and the database lets it claim and record. */
  readonly ready: boolean
  /** Why it is not ready, for people. Empty if it is. */
  readonly reasons: readonly string[]
  /** Problems that need attention although the worker is working, for people. */
  readonly warnings: readonly string[]
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping'
  /** Attempts in flight. */
  readonly in_flight: number
  /** Milliseconds since the last heartbeat. null: not running. */
  readonly heartbeat_age_ms: number | null
  /** Milliseconds that this machine's clock is ahead of the database's; negative if behind. null: not running. */
  readonly clock_ahead_ms: number | null
}

/** The state of a running worker. */
export interface Vitals {
  readonly inFlight: number
  readonly heartbeatAgeMs: number
  /** How long deliveries could not be claimed or recorded; 0 if they can. */
  readonly failingForMs: number
  readonly clockAheadMs: number
  /** Encryption keys that secrets need and the worker lacks, by key id. */
  readonly unusableKeys: ReadonlyMap<string, UnusableKey>
  readonly warnings: readonly string[]
}

/**
 * @param toleratedMs how long failures are tolerated: until other workers would take over
 */
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
    reasons.push(`the last heartbeat reached the database ${heartbeatAgeMs} ms ago`)
  }
  if (failingForMs > toleratedMs) {
    reasons.push(`deliveries could not be claimed or recorded for ${failingForMs} ms`)
  }
  const clockIsOffMs = Math.abs(clockAheadMs ?? 0)
  if (clockIsOffMs >= CLOCK_WARN_MS) {
    const where = (clockAheadMs ?? 0) > 0 ? 'ahead of' : 'behind'
    const message = `the clock of this machine is ${Math.round(clockIsOffMs / 1000)} s ${where} the database's`
    if (clockIsOffMs >= CLOCK_WRONG_MS) reasons.push(message)
    else warnings.push(message)
  }
  for (const [keyId, { reason, secrets }] of vitals?.unusableKeys ?? []) {
    const needs = `${secrets} endpoint secrets need`
    reasons.push(
      reason === 'missing'
        ? `the encryption key "${keyId}" is missing: ${needs} it`
        : `the encryption key "${keyId}" has changed: ${needs} the previous one`,
    )
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
