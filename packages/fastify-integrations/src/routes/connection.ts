import type { Integrations } from '@quickquote/core'
import { ApiKey, Type, Uuid } from '@quickquote/core/internal'
import { EXAMPLE } from '../openapi/examples.ts'
import { type PartnerRoute, partnerRoute } from '../route.ts'

const { id, name, masked_key, status, expires_at } = ApiKey.properties

const Connection = Type.Object(
  {
    organization_id: Uuid,
    api_key: Type.Object({ id, name, masked_key, status, expires_at }),
  },
  { title: 'Connection' },
)

/** Whose key a partner's request carries, so that a tool can test and label its connection. */
export function connectionRoutes({ apiKeys }: Integrations): readonly PartnerRoute[] {
  return [
    partnerRoute({
      access: 'api_key',
      tag: 'Connection',
      method: 'GET',
      url: '/me',
      operationId: 'getConnection',
      summary: 'Test the connection',
      description: 'Returns the API key of the request, without its secret, and its organization.',
      answer: {
        status: 200,
        description: 'The API key and its organization.',
        schema: Connection,
        example: {
          organization_id: EXAMPLE.organizationId,
          api_key: {
            id: EXAMPLE.apiKeyId,
            name: 'CRM',
            masked_key: 'pk_8fZq…R2d0',
            status: 'active',
            expires_at: '2027-11-21T00:00:00.000Z',
          },
        },
      },
      errors: [],
      async handle({ apiKey }) {
        const { id, name, masked_key, status, expires_at } = await apiKeys.describe(apiKey)
        return {
          organization_id: apiKey.organizationId,
          api_key: { id, name, masked_key, status, expires_at },
        }
      },
    }),
  ]
}
