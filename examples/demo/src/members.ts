/** Two organizations, each with an admin and a plain member. A real host keeps them in its database. */
export interface Member {
  readonly id: string
  readonly email: string
  readonly organizationId: string
  readonly role: 'admin' | 'member'
}

export const ACME = '0197a000-0000-7000-8000-00000000ac3e'
export const GLOBEX = '0197a000-0000-7000-8000-000000910be8'

/** What the portal shows as the names of the organizations. */
const ORGANIZATION_NAMES: Readonly<Record<string, string>> = { [ACME]: 'Acme GmbH', [GLOBEX]: 'Globex Ltd' }

export function organizationName(id: string): string {
  return ORGANIZATION_NAMES[id] ?? id
}

/** A constant for the demo: everybody signs in with it, so the example listens on the loopback address only. */
export const DEMO_PASSWORD = 'demo-only'

export const MEMBERS: readonly Member[] = [
  { id: 'acme-admin', email: 'admin@acme.example', organizationId: ACME, role: 'admin' },
  { id: 'acme-member', email: 'member@acme.example', organizationId: ACME, role: 'member' },
  { id: 'globex-admin', email: 'admin@globex.example', organizationId: GLOBEX, role: 'admin' },
  { id: 'globex-member', email: 'member@globex.example', organizationId: GLOBEX, role: 'member' },
]
