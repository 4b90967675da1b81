import { CreatedApiKey, createApiKeyBody, type Integrations } from '@quickquote/core'
import { EXAMPLE } from '../examples.ts'
import { organizationParams } from '../organization-params.ts'
import { type SessionRoute, sessionRoute } from '../route.ts'

/** API keys of an organization (specification, "API key management"). */
export function apiKeyRoutes({ apiKeys, settings }: Integrations): readonly SessionRoute[] {
  return [
    sessionRoute({
      method: 'POST',
      url: '',
      access: 'member',
      operationId: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description: 'The answer holds the key itself, for the only time. The caller becomes its owner.',
      params: organizationParams,
      body: {
        'application/json': {
          schema: createApiKeyBody(settings.limits),
          example: { name: 'CRM', expires_at: '2027-11-21T00:00:00.000Z' },
        },
      },
      answer: {
        status: 201,
        description: 'The key record, and the key.',
        schema: CreatedApiKey,
        example: {
          id: EXAMPLE.apiKeyId,
          organization_id: EXAMPLE.organizationId,
          owner_id: 'member-17',
          name: 'CRM',
          masked_key: 'pk_8fZq…R2d0',
          status: 'active',
          expires_at: '2027-11-21T00:00:00.000Z',
          last_used_at: null,
          created_at: EXAMPLE.startedAt,
          updated_at: EXAMPLE.startedAt,
          key: 'pk_…',
        },
      },
      errors: [],
      async handle({ member, body }) {
        const { key, ...record } = await apiKeys.create(member, body)
        return { body: { ...record, key: key.reveal() } }
      },
    }),
  ]
}
