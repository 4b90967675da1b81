import type { Integrations } from '@quickquote/core'
import {
  ApiKey,
  ApiKeyListQuery,
  CreatedApiKey,
  createApiKeyBody,
  QuotationOfApiKey,
  rollApiKeyBody,
  Type,
  UsesOfApiKey,
  updateApiKeyBody,
} from '@quickquote/core/internal'
import { PAGE_HEADERS, pageAnswer } from '../answers/links.ts'
import type { NameMembers } from '../answers/member-names.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { jsonBody, NO_CONTENT, type SessionRoute, sessionRoute } from '../route.ts'

const apiKey = {
  id: EXAMPLE.apiKeyId,
  organization_id: EXAMPLE.organizationId,
  owner_id: 'member-17',
  name: 'CRM',
  masked_key: 'pk_8fZq…R2d0',
  status: 'active',
  expires_at: '2027-11-21T00:00:00.000Z',
  last_used_at: EXAMPLE.finishedAt,
  replaced_by: null,
  created_at: EXAMPLE.startedAt,
  updated_at: EXAMPLE.startedAt,
}
const common = { access: 'member', tag: 'API keys' } as const

/**
 * API keys of an organization (specification, "API key management"). Members reach their own keys, holders of
 * `manage_integrations` all keys, and those of `view_integrations` read them.
 */
export function apiKeyRoutes(
  { apiKeys, settings: { limits } }: Integrations,
  nameMembers: NameMembers,
): readonly SessionRoute[] {
  const namedAll = (keys: readonly ApiKey[]) => nameMembers(keys, 'owner_id', 'owner_name')
  const named = async (key: ApiKey) => (await namedAll([key]))[0] ?? key

  return [
    sessionRoute({
      ...common,
      method: 'GET',
      url: '',
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Lists keys in every state, including revoked ones, newest first.',
      query: ApiKeyListQuery,
      answer: {
        status: 200,
        description: 'The key records, without the keys themselves.',
        schema: Type.Array(ApiKey),
        example: [apiKey],
        headers: PAGE_HEADERS,
      },
      errors: ['PERMISSION_REQUIRED'],
      async handle({ member, query, ...call }) {
        const { items, nextCursor } = await apiKeys.list(member, query)
        return pageAnswer({ items: await namedAll(items), nextCursor }, call, ApiKeyListQuery)
      },
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '',
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: `Only this response contains the key itself. The caller becomes its owner. An organization may have at most ${limits.apiKeysPerOrganization} keys that are neither revoked nor expired, and a member ${limits.apiKeysPerMember}.`,
      body: jsonBody(createApiKeyBody(limits), { name: 'CRM', expires_at: '2027-11-21T00:00:00.000Z' }),
      answer: {
        status: 201,
        description: 'The key record, and the key.',
        schema: CreatedApiKey,
        example: { ...apiKey, last_used_at: null, key: 'pk_…' },
      },
      errors: ['API_KEY_LIMIT_REACHED'],
      async handle({ member, body }) {
        const { key, ...record } = await apiKeys.create(member, body)
        return { ...(await named(record)), key: key.reveal() }
      },
    }),

    sessionRoute({
      ...common,
      method: 'GET',
      url: '/:id',
      operationId: 'getApiKey',
      summary: 'Get an API key',
      description:
        'The key itself is shown only when it is created: `masked_key` is its beginning and end. Members see their own keys, holders of `manage_integrations` or `view_integrations` every key.',
      answer: {
        status: 200,
        description: 'The key record, without the key.',
        schema: ApiKey,
        example: apiKey,
      },
      errors: ['API_KEY_NOT_FOUND'],
      handle: async ({ member, params }) => named(await apiKeys.get(member, params.id)),
    }),

    sessionRoute({
      ...common,
      method: 'GET',
      url: '/:id/uses',
      operationId: 'getApiKeyUses',
      summary: 'See what was done with an API key',
      description:
        'Counts the requests with the key by day, and lists the newest ones, also those that were refused. A request is listed within ten seconds; a crash loses that much.',
      answer: {
        status: 200,
        description: 'Its uses.',
        schema: UsesOfApiKey,
        example: {
          days: [
            {
              date: '2026-11-21',
              answered: 41,
              refused: 1,
              statuses: { '2xx': 41, '3xx': 0, '4xx': 1, '5xx': 0 },
            },
          ],
          requests: [
            {
              at: EXAMPLE.finishedAt,
              method: 'GET',
              route: '/v1/integrations/quotations/:id',
              status: 200,
              address: '198.51.100.7',
              request_id: 'req-1f',
            },
          ],
        },
      },
      errors: ['API_KEY_NOT_FOUND'],
      handle: ({ member, params }) => apiKeys.uses(member, params.id),
    }),

    sessionRoute({
      ...common,
      method: 'GET',
      url: '/:id/quotations',
      operationId: 'listApiKeyQuotations',
      summary: 'List the quotes started with an API key',
      description:
        'Lists the newest 20 of the last 30 days. Empty if the application keeps quotes in its own tables.',
      answer: {
        status: 200,
        description: 'The quotes, newest first.',
        schema: Type.Array(QuotationOfApiKey),
        example: [
          {
            id: EXAMPLE.quotationId,
            name: 'Customer portal',
            status: 'completed',
            created_at: EXAMPLE.startedAt,
          },
        ],
      },
      errors: ['API_KEY_NOT_FOUND'],
      handle: ({ member, params }) => apiKeys.quotations(member, params.id),
    }),

    sessionRoute({
      ...common,
      method: 'PATCH',
      url: '/:id',
      operationId: 'updateApiKey',
      summary: 'Rename an API key',
      description: 'The expiry cannot be changed, and a revoked key keeps its name.',
      body: jsonBody(updateApiKeyBody(limits), { name: 'CRM north' }),
      answer: {
        status: 200,
        description: 'The updated key record.',
        schema: ApiKey,
        example: { ...apiKey, name: 'CRM north', updated_at: EXAMPLE.finishedAt },
      },
      errors: ['PERMISSION_REQUIRED', 'API_KEY_NOT_FOUND', 'STATE_CONFLICT'],
      handle: async ({ member, params, body }) => named(await apiKeys.update(member, params.id, body)),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/roll',
      operationId: 'rollApiKey',
      summary: 'Roll an API key',
      description:
        'Creates a key with the same name in place of an active one, which keeps working for `overlap_seconds`. Only this response contains the new key. The caller becomes its owner. The old key no longer counts for the limits.',
      body: jsonBody(rollApiKeyBody(limits), {
        expires_at: '2027-11-21T00:00:00.000Z',
        overlap_seconds: 86_400,
      }),
      answer: {
        status: 201,
        description: 'The record of the new key, and the key.',
        schema: CreatedApiKey,
        example: { ...apiKey, last_used_at: null, key: 'pk_…' },
      },
      errors: ['PERMISSION_REQUIRED', 'API_KEY_NOT_FOUND', 'STATE_CONFLICT', 'API_KEY_LIMIT_REACHED'],
      async handle({ member, params, body }) {
        const { key, ...record } = await apiKeys.roll(member, params.id, body)
        return { ...(await named(record)), key: key.reveal() }
      },
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/activate',
      operationId: 'activateApiKey',
      summary: 'Activate an API key',
      description: 'Has no effect on an active key. Expired and revoked keys cannot be activated.',
      answer: {
        status: 200,
        description: 'The updated key record.',
        schema: ApiKey,
        example: apiKey,
      },
      errors: ['PERMISSION_REQUIRED', 'API_KEY_NOT_FOUND', 'STATE_CONFLICT'],
      handle: async ({ member, params }) => named(await apiKeys.activate(member, params.id)),
    }),

    sessionRoute({
      ...common,
      method: 'POST',
      url: '/:id/deactivate',
      operationId: 'deactivateApiKey',
      summary: 'Deactivate an API key',
      description:
        'Requests with the key are refused with 403 until it is activated. Has no effect on an inactive key.',
      answer: {
        status: 200,
        description: 'The updated key record.',
        schema: ApiKey,
        example: { ...apiKey, status: 'inactive', updated_at: EXAMPLE.finishedAt },
      },
      errors: ['PERMISSION_REQUIRED', 'API_KEY_NOT_FOUND', 'STATE_CONFLICT'],
      handle: async ({ member, params }) => named(await apiKeys.deactivate(member, params.id)),
    }),

    sessionRoute({
      ...common,
      method: 'DELETE',
      url: '/:id',
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key permanently',
      description:
        'Requests with the key are refused with 403 from now on. Its record is kept. Has no effect on a revoked key.',
      answer: NO_CONTENT,
      errors: ['PERMISSION_REQUIRED', 'API_KEY_NOT_FOUND'],
      async handle({ member, params }) {
        await apiKeys.revoke(member, params.id)
      },
    }),
  ]
}
