import { IntegrationError } from '../lib/errors.ts'
import { checkMemberIds } from './ids.ts'

/** The permission that webhook configuration and other members' keys ask for (specification, "Permissions"). */
export const MANAGE_INTEGRATIONS = 'manage_integrations'

/** Who is calling, as the host's session resolver answers it. */
export interface Session {
  /** Any text of yours, at most 128 characters. */
  readonly memberId: string
  readonly organizations: readonly {
    /** A uuid. Map ids of another kind to one, for example with `v5(id, NAMESPACE)` of the npm package `uuid`. */
    readonly id: string
    /** For screens. Default: they show the id. */
    readonly name?: string | undefined
    /** `admin` holds `manage_integrations`, unless `permissions` is given. */
    readonly role?: string | undefined
    /** When given, this list alone decides, whatever the role. */
    readonly permissions?: readonly string[] | undefined
  }[]
}

/** A member acting in one organization. Services take it instead of a bare organization id. */
export interface Member {
  /** Any text of yours, at most 128 characters. */
  readonly memberId: string
  /** A uuid. */
  readonly organizationId: string
  readonly permissions: ReadonlySet<string>
  /** The IP address that the member calls from, for the audit log. None: the host itself calls. */
  readonly clientAddress?: string | null
}

/**
 * The member that a session is in an organization.
 * @param options.clientAddress where the request of the member comes from, for the audit log
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
  const permissions = membership.permissions ?? (membership.role === 'admin' ? [MANAGE_INTEGRATIONS] : [])
  return {
    memberId: session.memberId,
    organizationId: wanted,
    permissions: new Set(permissions),
    clientAddress,
  }
}

/** Whether the member holds `manage_integrations`. */
export function managesIntegrations(member: Member): boolean {
  return member.permissions.has(MANAGE_INTEGRATIONS)
}

/** @throws IntegrationError PERMISSION_REQUIRED without `manage_integrations`, VALIDATION_FAILED for ids that cannot be */
export function requireManageIntegrations(member: Member): void {
  checkMemberIds(member)
  if (!managesIntegrations(member)) throw new IntegrationError('PERMISSION_REQUIRED')
}
