import { ConfigurationError } from '../lib/errors.ts'
import { defaultsOf, type OptionsOf, type OptionTable, TIMER } from '../lib/option-check.ts'

/** How workers notice that another one is dead. */
export const LEASE_OPTIONS = {
  /** Milliseconds between heartbeats. Default 5,000. */
  heartbeatMs: { default: 5000, ...TIMER },
  /** Milliseconds without a heartbeat before other workers take over. At least twice `heartbeatMs`. Default 15,000. */
  deadAfterMs: { default: 15_000, ...TIMER },
} as const satisfies OptionTable
export type LeasePolicy = OptionsOf<typeof LEASE_OPTIONS>
export const DEFAULT_LEASE_POLICY: LeasePolicy = defaultsOf(LEASE_OPTIONS)

/** @throws ConfigurationError if one late heartbeat counted as a dead worker */
export function checkLease(owner: string, { heartbeatMs, deadAfterMs }: LeasePolicy): void {
  if (deadAfterMs >= 2 * heartbeatMs) return
  throw new ConfigurationError(
    `${owner}deadAfterMs must be at least twice heartbeatMs, so that one late heartbeat does not count as a dead worker.`,
  )
}
