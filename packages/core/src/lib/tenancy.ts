import { type ErrorCode, IntegrationError } from './errors.ts'

/** The result of a look-up by id: the resource, or whether it belongs to another organization (403) or is unknown (404). */
export type TenantLookup<T> = T | 'other_organization' | 'unknown'

/** @returns the resource; otherwise throws the matching error (specification, "Errors") */
export function requireFound<T extends object>(found: TenantLookup<T> | null, unknown: ErrorCode): T {
  if (found === null || found === 'unknown') throw new IntegrationError(unknown)
  if (found === 'other_organization') throw new IntegrationError('OTHER_ORGANIZATION')
  return found
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a string can be an id. PostgreSQL would throw for others. */
export function isUuid(id: string): boolean {
  return UUID.test(id)
}

/** Distinguishes an organization's own row from another's (403) and from none (404). */
export function ownedBy<T>(
  row: { organization_id: string; found: T } | undefined,
  organizationId: string,
): TenantLookup<T> {
  if (row === undefined) return 'unknown'
  return isSameUuid(row.organization_id, organizationId) ? row.found : 'other_organization'
}

/** UUIDs ignore case. */
export function isSameUuid(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
