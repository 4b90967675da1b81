import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'

/** What `deliverDue` and `startDue` have in common. */
export interface DueWorkOptions {
  readonly integrations: Integrations
  /** Only what belongs to these organizations; what is others' stays as it is. Default: all of them. */
  readonly organizationIds?: readonly string[]
}

/** Tells whose work may be done. */
export function ownerCheck(
  organizationIds: readonly string[] | undefined,
): (organizationId: string) => boolean {
  if (organizationIds === undefined) return () => true
  const ids = new Set(organizationIds.map((id) => id.toLowerCase()))
  return (organizationId) => ids.has(organizationId)
}

/** Another worker claims in a few milliseconds: who meets it for so long has met something else. */
const CONTENDED_MS = 10_000

/**
 * Claims and works until a claim finds nothing, and nothing is due that somebody else is claiming at that moment.
 * @param round claims, works, and tells whether there was anything, and when the next thing is due
 * @throws Error when others hold what is due for 10 s
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
      throw new Error(`Something is due that other workers have been claiming for ${CONTENDED_MS} ms.`)
    }
    await sleep(5 + 20 * Math.random())
  }
}
