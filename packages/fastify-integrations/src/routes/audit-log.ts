import type { Integrations } from '@quickquote/core'
import { AuditEntry, AuditLogQuery, Type } from '@quickquote/core/internal'
import { PAGE_HEADERS, pageAnswer } from '../answers/links.ts'
import type { NameMembers } from '../answers/member-names.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

export function auditLogRoutes(
  { auditLog }: Integrations,
  nameMembers: NameMembers,
): readonly SessionRoute[] {
  return [
    sessionRoute({
      access: 'view_integrations',
      tag: 'Audit log',
      method: 'GET',
      url: '',
      operationId: 'listAuditLog',
      summary: 'List changes of API keys and webhook endpoints',
      description:
        'Lists changes, tests, resends and replays, newest first. For long texts and secrets, only the name of the field is recorded; URLs are recorded without their queries.',
      query: AuditLogQuery,
      answer: {
        status: 200,
        description: 'The changes.',
        schema: Type.Array(AuditEntry),
        example: [
          {
            id: '0197a2ff-6a7b-7c8d-9e0f-1a2b3c4d5e6f',
            organization_id: EXAMPLE.organizationId,
            actor_id: 'member-17',
            client_address: '198.51.100.7',
            action: 'webhook_endpoint.disabled',
            resource_type: 'webhook_endpoint',
            resource_id: EXAMPLE.endpointId,
            resource_name: 'CRM',
            changes: [{ field: 'is_enabled', from: true, to: false }, { field: 'description' }],
            created_at: EXAMPLE.finishedAt,
          },
        ],
        headers: PAGE_HEADERS,
      },
      errors: [],
      async handle({ member, query, ...call }) {
        const { items, nextCursor } = await auditLog.list(member, query)
        const named = await nameMembers(items, 'actor_id', 'actor_name')
        return pageAnswer({ items: named, nextCursor }, call, AuditLogQuery)
      },
    }),
  ]
}
