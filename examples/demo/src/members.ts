/** Two organizations, each with an admin and a plain member, and one with a viewer. A real host has them in its database. */
export interface Member {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly organizationId: string
  readonly role: 'admin' | 'member' | 'viewer'
}

export const ACME = '0197a000-0000-7000-8000-00000000ac3e'
export const GLOBEX = '0197a000-0000-7000-8000-000000910be8'

/** The names of the organizations in the portal. */
const ORGANIZATION_NAMES: Readonly<Record<string, string>> = { [ACME]: 'Acme GmbH', [GLOBEX]: 'Globex Ltd' }

export function organizationName(id: string): string {
  return ORGANIZATION_NAMES[id] ?? id
}

/** Everyone's password, which is why the example only listens on the loopback address. */
export const DEMO_PASSWORD = 'demo-only'

export const MEMBERS: readonly Member[] = [
  { id: 'acme-admin', name: 'Ada Becker', email: 'admin@acme.example', organizationId: ACME, role: 'admin' },
  {
    id: 'acme-member',
    name: 'Max Huber',
    email: 'member@acme.example',
    organizationId: ACME,
    role: 'member',
  },
  {
    id: 'acme-viewer',
    name: 'Vera Roth',
    email: 'viewer@acme.example',
    organizationId: ACME,
    role: 'viewer',
  },
  {
    id: 'globex-admin',
    name: 'Grace Miller',
    email: 'admin@globex.example',
    organizationId: GLOBEX,
    role: 'admin',
  },
  {
    id: 'globex-member',
    name: 'Gus Taylor',
    email: 'member@globex.example',
    organizationId: GLOBEX,
    role: 'member',
  },
]

/** For the screens: names of members, by id. */
export function describeMembers(ids: readonly string[]): Record<string, { name: string; email: string }> {
  const asked = MEMBERS.filter(({ id }) => ids.includes(id))
  return Object.fromEntries(asked.map(({ id, name, email }) => [id, { name, email }]))
}
