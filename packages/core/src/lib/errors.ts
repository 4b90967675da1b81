/** What an error looks like to whoever reads it: the HTTP status, a fixed title, and what to do about it. */
export interface ErrorDefinition {
  readonly status: number
  readonly title: string
  readonly advice: string
}

/**
 * Every error of the API, in one table (specification, "Errors"). The codes are stable: clients may switch on them.
 * Documents, types and OpenAPI are derived from here.
 */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request breaks a rule',
    advice: 'Look at `errors`: each entry points at a field and says what is allowed there.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'The request cannot be read',
    advice:
      'Send well-formed JSON (or multipart) in UTF-8 that fits the `Content-Type` header, to a well-formed URL.',
  },
  API_KEY_IN_QUERY: {
    status: 400,
    title: 'API keys are not accepted in the URL',
    advice:
      'Send the key in the `X-API-Key` header only. Treat a key that stood in a URL as leaked: revoke it and make a new one.',
  },
  API_KEY_MISSING: {
    status: 401,
    title: 'An API key is required',
    advice: 'Send the key in the `X-API-Key` header.',
  },
  API_KEY_INVALID: {
    status: 401,
    title: 'The API key is not valid',
    advice: 'Check that the whole key was copied, `pk_` included, and that it belongs to this environment.',
  },
  SESSION_REQUIRED: {
    status: 401,
    title: 'You are not signed in',
    advice: 'Sign in and try again.',
  },
  API_KEY_INACTIVE: {
    status: 403,
    title: 'The API key is inactive',
    advice: 'Its owner or an administrator can activate it again.',
  },
  API_KEY_EXPIRED: {
    status: 403,
    title: 'The API key has expired',
    advice: 'Create a new key; the expiry of a key cannot be changed.',
  },
  API_KEY_REVOKED: {
    status: 403,
    title: 'The API key was revoked',
    advice: 'Revoking is permanent. Create a new key.',
  },
  OTHER_ORGANIZATION: {
    status: 403,
    title: 'The resource belongs to another organization',
    advice: 'Use a key of the organization that owns the resource.',
  },
  NOT_A_MEMBER: {
    status: 403,
    title: 'You have no access to this organization',
    advice: 'Check the organization id, or ask an administrator of the organization to add you.',
  },
  PERMISSION_REQUIRED: {
    status: 403,
    title: 'A permission is missing',
    advice: 'Ask an administrator of the organization for the permission `manage_integrations`.',
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'Cross-site requests may not change anything',
    advice: 'Call this route from pages of the application itself, or from outside a browser.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'There is no such route',
    advice: 'Compare method and path with the API documentation at `/api-docs`.',
  },
  QUOTATION_NOT_FOUND: {
    status: 404,
    title: 'There is no such quotation',
    advice: 'Use the `quotation_id` that the start call returned.',
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    title: 'There is no such proposal',
    advice:
      'A proposal exists once its step has finished: wait for `quotation.proposal.completed`, or poll the pipeline.',
  },
  DOCUMENT_NOT_READY: {
    status: 404,
    title: 'The proposal has no document yet',
    advice: 'Ask again when the `document_id` of the proposal is set.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'There is no such API key',
    advice:
      'List the keys to see their ids. Only holders of `manage_integrations` reach the keys of other members.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    status: 404,
    title: 'There is no such webhook endpoint',
    advice: 'List the endpoints to see their ids.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'There is no such delivery',
    advice: 'List the delivery attempts to see the ids of their deliveries. Old ones are no longer kept.',
  },
  REPLAY_NOT_FOUND: {
    status: 404,
    title: 'There is no such replay',
    advice: 'Use the `id` that the start of the replay returned, below its endpoint.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The route does not take this method',
    advice: 'Use one of the methods in the `Allow` header.',
  },
  STATE_CONFLICT: {
    status: 409,
    title: 'The current state does not allow this',
    advice: 'Read the resource again: it may have changed since you last saw it.',
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'The limit of API keys is reached',
    advice: 'Revoke a key that is no longer needed. Inactive keys count; revoked and expired keys do not.',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    status: 409,
    title: 'The organization has as many webhook endpoints as it may have',
    advice: 'Delete an endpoint that is no longer needed, or let one endpoint subscribe to more events.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    title: 'A request with this Idempotency-Key is under way',
    advice: 'Wait a moment and repeat the same request: it gets the answer of the first one.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    title: 'Events after this cursor are no longer kept',
    advice:
      'Begin without `after` at the oldest event that is kept, or with `after=latest`, and read what you missed from the quotations themselves.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request is too large',
    advice: 'The limits are listed in the documentation of the route.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The route does not take this media type',
    advice: 'Send `Content-Type: application/json`, or another media type that the route documents.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    advice: 'Use a new key for each quote, and the same key only to repeat the very same request.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for the seconds in the `Retry-After` header, then try again.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Something went wrong on our side',
    advice: 'Try again. If it keeps failing, report the request id in `instance`.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'The service cannot answer right now',
    advice: 'Try again in a little while; repeat a start under its `Idempotency-Key`.',
  },
} as const satisfies Record<string, ErrorDefinition>

/** A stable code of the error table. */
export type ErrorCode = keyof typeof ERRORS

/** One field that was wrong. `pointer` is a JSON pointer into the body (`/name`), or `?limit` / `:id` for URL parts. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/** An error that a caller is told. `message` is public: it reaches the client as `detail`, so it never carries a secret or a cause. */
export class IntegrationError extends Error {
  override readonly name = 'IntegrationError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]

  constructor(
    code: ErrorCode,
    detail?: string,
    options: { errors?: readonly FieldError[]; cause?: unknown } = {},
  ) {
    super(detail ?? ERRORS[code].title, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors ?? []
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERRORS[this.code].status
  }
}

/** A 400 that names the fields that were wrong. */
export function validationFailed(errors: readonly FieldError[]): IntegrationError {
  const first = errors[0]
  const detail = first === undefined ? undefined : `${first.pointer || 'The body'}: ${first.detail}`
  return new IntegrationError('VALIDATION_FAILED', detail, { errors })
}

/** Thrown at start-up, never while serving: an option of the host is missing or wrong. The message says how to mend it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
