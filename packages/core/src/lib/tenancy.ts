/** The answer of a look-up by id: the thing, or whether it is somebody else's (403) or nobody's (404). */
export type TenantLookup<T> = T | 'other_organization' | 'unknown'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a string can be an id at all. What cannot is unknown; PostgreSQL would call it an error. */
export function isUuid(id: string): boolean {
  return UUID.test(id)
}

/** Tells a row of the organization from a row of another one (403) and from none at all (404). */
export function ownedBy<T>(
  row: { organization_id: string; found: T } | undefined,
  organizationId: string,
): TenantLookup<T> {
  if (row === undefined) return 'unknown'
  const isOwn = row.organization_id.toLowerCase() === organizationId.toLowerCase()
  return isOwn ? row.found : 'other_organization'
}
