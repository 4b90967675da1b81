import { IntegrationError } from '../lib/errors.ts'
import { checkMemberIds } from './ids.ts'

/** The permission for webhook configuration and other members' keys (specification, "Permissions"). */
export const MANAGE_INTEGRATIONS = 'manage_integrations'

/** The permission to see all that holders of `manage_integrations` see, and to change nothing. They need not hold it too. */
export const VIEW_INTEGRATIONS = 'view_integrations'

/** The permissions of each role (specification, "Permissions"). Other roles have none. */
const PERMISSIONS_OF_ROLE = new Map<string, readonly string[]>([
  ['admin', [MANAGE_INTEGRATIONS, VIEW_INTEGRATIONS]],
  ['member', []],
])
export const KNOWN_ROLES: readonly string[] = [...PERMISSIONS_OF_ROLE.keys()]

/** The caller, as returned by the host's session resolver. */
export interface Session {
  /** Your own id, at most 128 characters. */
  readonly memberId: string
  readonly organizations: readonly {
    /** A UUID. Convert other IDs to one, for example with `v5(id, NAMESPACE)` of the npm package `uuid`. */
    readonly id: string
    /** For screens. Default: the id. */
    readonly name?: string | undefined
    /**
     * `admin` has `manage_integrations` and `view_integrations`, unless `permissions` is given; `member` and all other
     * roles have no permission.
     */
    readonly role?: string | undefined
    /** If given, only this list counts, whatever the role. */
    readonly permissions?: readonly string[] | undefined
  }[]
}

/** A member acting in one organization. Services require it instead of an organization id. */
export interface Member {
  /** Your own id, at most 128 characters. */
  readonly memberId: string
  /** A uuid. */
  readonly organizationId: string
  readonly permissions: ReadonlySet<string>
  /** The member's IP address, for the audit log. Absent if the host itself calls. */
  readonly clientAddress?: string | null
}

/**
 * The session's member in an organization.
 * @param options.clientAddress the IP address of the request, for the audit log
 * @throws IntegrationError NOT_A_MEMBER, whether or not the organization exists
 */
export function memberOf(
  session: Session,
  organizationId: string,
  { clientAddress = null }: Pick<Member, 'clientAddress'> = {},
): Member {
  const wanted = organizationId.toLowerCase()
  const membership = session.organizations.find((organization) => organization.id.toLowerCase() === wanted)
  if (membership === undefined) throw new IntegrationError('NOT_A_MEMBER')
  const { role = '', permissions = PERMISSIONS_OF_ROLE.get(role) } = membership
  return {
    memberId: session.memberId,
    organizationId: wanted,
    permissions: new Set(permissions),
    clientAddress,
  }
}

export function managesIntegrations(member: Member): boolean {
  return member.permissions.has(MANAGE_INTEGRATIONS)
}

/** Whether a member may look at everything. */
export function viewsIntegrations(member: Member): boolean {
  return managesIntegrations(member) || member.permissions.has(VIEW_INTEGRATIONS)
}

/** @throws IntegrationError PERMISSION_REQUIRED without `view_integrations`, VALIDATION_FAILED for invalid ids */
export function requireViewIntegrations(member: Member): void {
  checkMemberIds(member)
  if (!viewsIntegrations(member)) throw new IntegrationError('PERMISSION_REQUIRED')
}

/** @throws IntegrationError PERMISSION_REQUIRED without `manage_integrations`, VALIDATION_FAILED for invalid ids */
export function requireManageIntegrations(member: Member): void {
  checkMemberIds(member)
  if (!managesIntegrations(member)) throw new IntegrationError('PERMISSION_REQUIRED')
}
