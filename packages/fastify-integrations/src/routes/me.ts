import type { Integrations, Session } from '@quickquote/core'
import { Type, Uuid } from '@quickquote/core/internal'
import type { NameMembers } from '../answers/member-names.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

const Organization = Type.Object({
  id: Uuid,
  name: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Null if the session has no name.',
  }),
})

const Me = Type.Object(
  {
    member_id: Type.String(),
    member_name: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Present if the application names its members. Null if it does not know this one.',
      }),
    ),
    organization: Organization,
    permissions: Type.Array(Type.String(), {
      description: 'The permissions of the member in this organization.',
    }),
    organizations: Type.Array(Organization, {
      description: 'All organizations of the member, including this one.',
    }),
    limits: Type.Object(
      {
        webhook_endpoints: Type.Integer({ description: 'Webhook endpoints of an organization.' }),
        api_keys_per_member: Type.Integer({ description: 'API keys of a member that may still work.' }),
        api_key_max_days: Type.Integer({ description: 'The longest lifetime of an API key, in days.' }),
        event_days: Type.Integer({ description: 'Days for which events and deliveries are kept.' }),
        disable_after_ms: Type.Integer({
          description: 'How long every delivery must fail until an endpoint is disabled. 0: never.',
        }),
      },
      { description: 'The limits of this service.' },
    ),
  },
  { title: 'Me' },
)

/** The caller's session, as this service understands it. */
export function meRoutes(
  { settings: { limits, retention, delivery } }: Pick<Integrations, 'settings'>,
  nameMembers: NameMembers,
): readonly SessionRoute[] {
  const ofService = {
    webhook_endpoints: limits.webhookEndpoints,
    api_keys_per_member: limits.apiKeysPerMember,
    api_key_max_days: limits.apiKeyLifetimeDays,
    event_days: retention.eventDays,
    disable_after_ms: delivery.disableAfterMs,
  }
  const organization = { id: EXAMPLE.organizationId, name: 'Acme GmbH' }
  return [
    sessionRoute({
      access: 'member',
      tag: 'Members',
      method: 'GET',
      url: '',
      operationId: 'getMe',
      summary: 'Get the signed-in member',
      description:
        'Returns the signed-in member, their organizations, and their permissions in this one, and the limits of the service.',
      answer: {
        status: 200,
        description: 'The member.',
        schema: Me,
        example: {
          member_id: 'member-17',
          organization,
          permissions: ['manage_integrations', 'view_integrations'],
          organizations: [organization],
          limits: ofService,
        },
      },
      errors: [],
      async handle({ member, session }) {
        const organizations = session.organizations.map(named)
        const { organizationId: organization_id, memberId: member_id } = member
        const [me] = await nameMembers([{ organization_id, member_id }], 'member_id', 'member_name')
        const current = organizations.find(({ id }) => id === organization_id)
        return {
          member_id,
          ...me,
          organization: current ?? { id: organization_id, name: null },
          permissions: [...member.permissions].sort(),
          organizations,
          limits: ofService,
        }
      },
    }),
  ]
}

function named({ id, name }: Session['organizations'][number]) {
  return { id: id.toLowerCase(), name: name ?? null }
}
