import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'

/** Shared by `deliverDue` and `startDue`. */
export interface DueWorkOptions {
  readonly integrations: Integrations
  /** Only the work of these organizations. Default: all. */
  readonly organizationIds?: readonly string[]
}

/** Checks whose work may be done. */
export function ownerCheck(
  organizationIds: readonly string[] | undefined,
): (organizationId: string) => boolean {
  if (organizationIds === undefined) return () => true
  const ids = new Set(organizationIds.map((id) => id.toLowerCase()))
  return (organizationId) => ids.has(organizationId)
}

/** A claim takes milliseconds: after this time, it is not another worker's claim. */
const CONTENDED_MS = 10_000

/**
 * Claims and works until nothing is due, not even work that someone else is claiming.
 * @param round claims and works; returns whether it found anything, and when the next work is due
 * @throws Error if others hold due work for 10 s
 */
export async function untilNothingIsDue(
  now: () => Date,
  round: () => Promise<{ found: boolean; nextDueAt: Date | null }>,
): Promise<void> {
  let contendedSince: number | undefined
  for (;;) {
    const { found, nextDueAt } = await round()
    if (!found && (nextDueAt === null || nextDueAt > now())) return
    if (found) {
      contendedSince = undefined
      continue
    }
    contendedSince ??= performance.now()
    if (performance.now() - contendedSince > CONTENDED_MS) {
      throw new Error(`Work has been due for ${CONTENDED_MS} ms while other workers hold the claim.`)
    }
    await sleep(5 + 20 * Math.random())
  }
}
