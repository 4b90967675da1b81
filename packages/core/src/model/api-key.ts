import type { Static } from '@sinclair/typebox'
import { PAGE_PARAMETERS } from '../lib/page.ts'
import { Name, Nullable, OneOf, SentTimestamp, schemaOf, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { Limits } from './limits.ts'

const API_KEY_STATUSES = ['active', 'inactive', 'expired', 'revoked'] as const
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number]

/** The stored statuses; `expired` is derived from the clock. */
export type StoredApiKeyStatus = Exclude<ApiKeyStatus, 'expired'>

/** The key record, without the key. */
export const ApiKey = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    owner_id: Type.String({ description: 'The member who created the key.' }),
    owner_name: Type.Optional(
      Nullable(
        Type.String(),
        'Present if the application names its members. Null if it does not know the owner.',
      ),
    ),
    name: Type.String(),
    masked_key: Type.String(),
    status: OneOf(API_KEY_STATUSES),
    expires_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    replaced_by: Nullable(Uuid, 'The key that a roll created in its place. Null if it was not rolled.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>

/** The only response with the plaintext of the key. */
export const CreatedApiKey = Type.Composite(
  [ApiKey, Type.Object({ key: Type.String({ description: 'The key itself. It is shown only once.' }) })],
  { title: 'CreatedApiKey' },
)

function expiryOf({ apiKeyLifetimeDays }: Pick<Limits, 'apiKeyLifetimeDays'>) {
  return SentTimestamp({
    description: `In the future, at most ${apiKeyLifetimeDays} days from now. It cannot be changed later, except that a roll ends a key earlier.`,
  })
}

export const createApiKeyBody = schemaOf((limits: Limits) =>
  Type.Object(
    {
      name: Name({ minLength: 1, maxLength: limits.nameLength }),
      expires_at: expiryOf(limits),
    },
    { title: 'CreateApiKey' },
  ),
)

export const updateApiKeyBody = schemaOf((limits: Limits) =>
  Type.Object({ name: Name({ minLength: 1, maxLength: limits.nameLength }) }, { title: 'UpdateApiKey' }),
)

/** The longest time for which a rolled key keeps working, and the default one, in seconds. */
const LONGEST_OVERLAP_SECONDS = 7 * 24 * 60 * 60
export const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60

export const rollApiKeyBody = schemaOf((limits: Limits) =>
  Type.Object(
    {
      expires_at: expiryOf(limits),
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LONGEST_OVERLAP_SECONDS,
          default: DEFAULT_OVERLAP_SECONDS,
          description: 'Seconds for which the old key keeps working, unless it expires earlier.',
        }),
      ),
    },
    { title: 'RollApiKey' },
  ),
)

export type CreateApiKeyBody = Static<ReturnType<typeof createApiKeyBody>>
export type RollApiKeyBody = Static<ReturnType<typeof rollApiKeyBody>>
export type UpdateApiKeyBody = Static<ReturnType<typeof updateApiKeyBody>>

export const ApiKeyListQuery = Type.Object({
  owner: Type.Optional(
    OneOf(['me', 'all'], {
      default: 'me',
      description: '`me`: your own keys; `all`: the keys of every member (requires `view_integrations`).',
    }),
  ),
  ...PAGE_PARAMETERS,
})

/** A transition of the state table in the specification. */
export type ApiKeyMove = 'activate' | 'deactivate' | 'revoke'

export type ApiKeyTransition =
  | { readonly kind: 'changed'; readonly status: StoredApiKeyStatus }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * The displayed status of a key: expired after its time, unless revoked. The condition is negated so that an unreadable
 * time counts as expired.
 */
export function apiKeyStatus(key: { status: StoredApiKeyStatus; expires_at: Date }, now: Date): ApiKeyStatus {
  return key.status === 'revoked' || key.expires_at > now ? key.status : 'expired'
}

/** The state table of the specification ("API key"). A transition to the current state changes nothing. */
export function moveApiKey(status: ApiKeyStatus, move: ApiKeyMove): ApiKeyTransition {
  if (move === 'revoke') {
    return status === 'revoked' ? { kind: 'unchanged' } : { kind: 'changed', status: 'revoked' }
  }
  if (status === 'revoked' || status === 'expired') {
    return { kind: 'refused', reason: `A key that is ${status} cannot be ${move}d.` }
  }
  const target = move === 'activate' ? 'active' : 'inactive'
  return status === target ? { kind: 'unchanged' } : { kind: 'changed', status: target }
}
