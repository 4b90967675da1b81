import { IntegrationError } from './errors.ts'

/** The permission that webhook configuration and other members' keys ask for (specification, "Permissions"). */
export const MANAGE_INTEGRATIONS = 'manage_integrations'

/** Who is calling, as the host's session resolver answers it. */
export interface Session {
  readonly memberId: string
  readonly organizations: readonly {
    readonly id: string
    /** `admin` holds `manage_integrations`, unless `permissions` is given. */
    readonly role?: string | undefined
    /** When given, this list alone decides, whatever the role. */
    readonly permissions?: readonly string[] | undefined
  }[]
}

/** A member acting in one organization. Services take it instead of a bare organization id. */
export interface Member {
  readonly memberId: string
  readonly organizationId: string
  readonly permissions: ReadonlySet<string>
}

/**
 * The member that a session is in an organization.
 * @throws IntegrationError NOT_A_MEMBER, whether or not the organization exists
 */
export function memberOf(session: Session, organizationId: string): Member {
  const wanted = organizationId.toLowerCase()
  const membership = session.organizations.find((organization) => organization.id.toLowerCase() === wanted)
  if (membership === undefined) throw new IntegrationError('NOT_A_MEMBER')
  const permissions = membership.permissions ?? (membership.role === 'admin' ? [MANAGE_INTEGRATIONS] : [])
  return { memberId: session.memberId, organizationId: wanted, permissions: new Set(permissions) }
}

/** Whether the member holds `manage_integrations`. */
export function managesIntegrations(member: Member): boolean {
  return member.permissions.has(MANAGE_INTEGRATIONS)
}

/** @throws IntegrationError PERMISSION_REQUIRED without `manage_integrations` */
export function requireManageIntegrations(member: Member): void {
  if (!managesIntegrations(member)) throw new IntegrationError('PERMISSION_REQUIRED')
}
