/** The HTTP status, the fixed title and the advice of an error. */
export interface ErrorDefinition {
  readonly status: number
  readonly title: string
  readonly advice: string
}

/**
 * All errors of the API (specification, "Errors"). Codes are stable: clients may switch on them. Documents, types and
 * OpenAPI are derived from this table.
 */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request is not valid',
    advice: 'See `errors`: each entry names a field and says what is allowed.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'The request is malformed',
    advice:
      'Send well-formed JSON or multipart data in UTF-8, matching the `Content-Type` header, to a well-formed URL.',
  },
  API_KEY_IN_QUERY: {
    status: 400,
    title: 'API keys are not accepted in the URL',
    advice:
      'Send the key only in the `X-API-Key` header. A key that was part of a URL may have leaked: revoke it and create a new one.',
  },
  API_KEY_MISSING: {
    status: 401,
    title: 'An API key is required',
    advice: 'Send the key in the `X-API-Key` header.',
  },
  API_KEY_INVALID: {
    status: 401,
    title: 'The API key is not valid',
    advice: 'Check that you copied the whole key, including `pk_`, and that it belongs to this environment.',
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
    advice: 'Create a new key. The expiry date of a key cannot be changed.',
  },
  API_KEY_REVOKED: {
    status: 403,
    title: 'The API key has been revoked',
    advice: 'Revocation is permanent. Create a new key.',
  },
  OTHER_ORGANIZATION: {
    status: 403,
    title: 'The resource belongs to another organization',
    advice: 'Use a key of the organization that owns the resource.',
  },
  NOT_A_MEMBER: {
    status: 403,
    title: 'You have no access to this organization',
    advice: 'Check the organization ID, or ask an administrator of the organization to add you.',
  },
  PERMISSION_REQUIRED: {
    status: 403,
    title: 'You do not have the required permission',
    advice:
      'Ask an administrator of your organization for the permission `manage_integrations`. To read, `view_integrations` is enough.',
  },
  ORGANIZATION_ERASED: {
    status: 403,
    title: 'The organization is being erased',
    advice: 'All data of the organization is being removed, and nothing can be added.',
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'Cross-site requests cannot make changes',
    advice: 'Call this route from a page of the application itself, or from outside a browser.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'Route not found',
    advice: 'Check the method and the path against the API documentation at `/api-docs`.',
  },
  QUOTATION_NOT_FOUND: {
    status: 404,
    title: 'Quotation not found',
    advice: 'Use the `quotation_id` that the start call returned.',
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    title: 'Proposal not found',
    advice:
      'The proposal exists once its step has finished. Wait for `quotation.proposal.completed`, or poll the pipeline.',
  },
  DOCUMENT_NOT_READY: {
    status: 404,
    title: 'The proposal has no document yet',
    advice: 'Try again once the `document_id` of the proposal is set.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'API key not found',
    advice:
      'List the keys to see their IDs. Access to the keys of other members requires `manage_integrations`.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    status: 404,
    title: 'Webhook endpoint not found',
    advice: 'List the endpoints to see their IDs.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'Delivery not found',
    advice: 'List the delivery attempts to see the IDs of their deliveries. Old deliveries are removed.',
  },
  REPLAY_NOT_FOUND: {
    status: 404,
    title: 'Replay not found',
    advice: 'Use the `id` returned when the replay was started, under the same endpoint.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use one of the methods in the `Allow` header.',
  },
  STATE_CONFLICT: {
    status: 409,
    title: 'The current state does not allow this',
    advice: 'Read the resource again: it may have changed since you last read it.',
  },
  QUOTATION_ENDED: {
    status: 409,
    title: 'The quotation has already ended',
    advice: 'It has completed or failed, so it cannot be cancelled. Read its summary.',
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'API key limit reached',
    advice:
      'Revoke a key you no longer need. Inactive keys count toward the limit; revoked and expired keys do not.',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    status: 409,
    title: 'Webhook endpoint limit reached',
    advice: 'Delete an endpoint you no longer need, or subscribe an existing one to more events.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    title: 'A request with this Idempotency-Key is still in progress',
    advice: 'Wait a moment, then repeat the same request. It returns the response to the first one.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    title: 'Events after this cursor are no longer kept',
    advice:
      'Start again without `after` (from the oldest event kept) or with `after=latest`, and list the quotations to catch up on what you missed.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request is too large',
    advice: 'The documentation of the route lists the limits.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Send `Content-Type: application/json`, or another media type documented for the route.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The Idempotency-Key was already used for a different request',
    advice: 'Use a new key for each start. Reuse a key only to retry the identical request.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for the number of seconds in the `Retry-After` header, then try again.',
  },
  REQUEST_REFUSED: {
    status: 400,
    title: 'The service refused the request',
    advice:
      'The service refused the request for a reason outside this API. The status, from 400 to 499, says why.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    advice: 'Try again. If the error persists, report the request ID in `instance`.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'The service is temporarily unavailable',
    advice: 'Try again shortly. Retry a start with the same `Idempotency-Key`.',
  },
} as const satisfies Record<string, ErrorDefinition>

/** A stable code of the error table. */
export type ErrorCode = keyof typeof ERRORS

/** An invalid field. `pointer` is a JSON pointer into the body (`/name`), or `?limit` / `:id` for URL parts. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/** An error for the caller. `message` is public: the client sees it as `detail`, so it never contains a secret or a cause. */
export class IntegrationError extends Error {
  override readonly name = 'IntegrationError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  /** The HTTP status: that of the code, unless another one was given. */
  readonly status: number

  constructor(
    code: ErrorCode,
    detail?: string,
    options: { errors?: readonly FieldError[]; cause?: unknown; status?: number } = {},
  ) {
    super(detail ?? ERRORS[code].title, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors ?? []
    this.status = options.status ?? ERRORS[code].status
  }
}

/** A 400 that names the invalid fields. */
export function validationFailed(errors: readonly FieldError[]): IntegrationError {
  const first = errors[0]
  const detail = first === undefined ? undefined : `${first.pointer || 'The body'}: ${first.detail}`
  return new IntegrationError('VALIDATION_FAILED', detail, { errors })
}

/** The same for one field. */
export function invalidField(pointer: string, detail: string): IntegrationError {
  return validationFailed([{ pointer, detail }])
}

/** Thrown only at startup: an option is missing or invalid. The message says how to fix it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
