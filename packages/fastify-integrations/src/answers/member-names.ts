import type { Integrations } from '@quickquote/core'
import { answerInTime } from '@quickquote/core/internal'

/** Returns what is known of members, by their ids. */
export type DescribeMembers = (
  memberIds: readonly string[],
  context: { readonly organizationId: string },
) => MembersById | Promise<MembersById>

type MembersById = Readonly<Record<string, { readonly name: string; readonly email?: string } | undefined>>

const TIMEOUT_MS = 2000

/** Adds the names of members to records of a response. */
export type NameMembers = <Record extends { readonly organization_id: string }, Id extends keyof Record>(
  records: readonly Record[],
  id: Id,
) => Promise<(string | null)[] | null>

/**
 * The names of the members in a field of the records, in one call of the host; null where it knows none, or all if it
 * throws or takes too long. Without `describeMembers`: null.
 */
export function memberNames(
  { settings: { logger } }: Pick<Integrations, 'settings'>,
  describe: DescribeMembers | undefined,
): NameMembers {
  return async (records, id) => {
    if (describe === undefined) return null
    const ids = records.map((record) => record[id] as string | null)
    const known = new Set(ids.filter((each) => each !== null))
    const [organizationId] = records.map(({ organization_id }) => organization_id)
    if (organizationId === undefined || known.size === 0) return ids.map(() => null)
    try {
      const call = () => describe([...known], { organizationId })
      const members = (await answerInTime('describeMembers', TIMEOUT_MS, call)) as MembersById | null
      return ids.map((each) => {
        const name = each !== null && members && Object.hasOwn(members, each) ? members[each]?.name : null
        return typeof name === 'string' ? name : null
      })
    } catch (error) {
      logger.error({ hook: 'describeMembers', err: error }, 'a hook of the host failed')
      return ids.map(() => null)
    }
  }
}
