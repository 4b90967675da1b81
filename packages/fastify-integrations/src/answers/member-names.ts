import type { Integrations } from '@quickquote/core'
import { answerInTime } from '@quickquote/core/internal'

/** Returns what is known of members, by their ids. */
export type DescribeMembers = (
  memberIds: readonly string[],
  context: { readonly organizationId: string },
) => MembersById | Promise<MembersById>

type MembersById = Readonly<Record<string, { readonly name: string; readonly email?: string } | undefined>>

const TIMEOUT_MS = 2000

/**
 * Adds the names of members to the records of a response, in one call of the host; null where it knows none, or all if it
 * throws or takes too long. Without `describeMembers`, the records stay as they are.
 * @param id the field with the ID of the member
 * @param field gets the name
 */
export type NameMembers = <
  Id extends string,
  Field extends string,
  Record extends { readonly organization_id: string } & { readonly [Key in Id]: string | null },
>(
  records: readonly Record[],
  id: Id,
  field: Field,
) => Promise<readonly (Record & { [Key in Field]?: string | null })[]>

export function memberNames(
  { settings: { logger } }: Pick<Integrations, 'settings'>,
  describe: DescribeMembers | undefined,
): NameMembers {
  if (describe === undefined) return async (records) => records

  const membersOf = async (ids: readonly string[], organizationId: string): Promise<MembersById> => {
    try {
      const call = () => describe(ids, { organizationId })
      return (await answerInTime('describeMembers', TIMEOUT_MS, call)) ?? {}
    } catch (error) {
      logger.error({ hook: 'describeMembers', err: error }, 'a hook of the host failed')
      return {}
    }
  }

  return async (records, id, field) => {
    const ids = new Set(records.map((record) => record[id]).filter((each) => each !== null))
    const [first] = records
    const members =
      first === undefined || ids.size === 0 ? {} : await membersOf([...ids], first.organization_id)
    return records.map((record) => ({ ...record, [field]: nameOf(record[id], members) }))
  }
}

function nameOf(id: string | null, members: MembersById): string | null {
  const name = id !== null && Object.hasOwn(members, id) ? members[id]?.name : null
  return typeof name === 'string' ? name : null
}
