import type { Problem, ProblemCode, Quotation } from './schemas.ts'

interface FailedResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed body, or its text. */
  readonly body: unknown
}

/** The service returned an error. The subclass says which kind. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** The stable error code; null if the response was not a problem document, for example from a proxy. */
  readonly code: ProblemCode | null
  /** What is wrong, for people. */
  readonly detail: string
  /** The invalid fields: JSON pointers into the body, or `?name` for a parameter. Empty for most errors. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
  /** The request id. Include it in support requests. */
  readonly requestId: string | null
  /** The wait requested by the service, in milliseconds. */
  readonly retryAfterMs: number | null

  constructor({ status, headers, body }: FailedResponse) {
    const problem = isProblem(body) ? body : null
    const detail = [problem?.detail, problem?.title].find(isText) ?? unexpected(status)
    super(`${problem?.code ?? status}: ${detail}`)
    this.status = status
    this.code = problem?.code ?? null
    this.detail = detail
    this.errors = Array.isArray(problem?.errors) ? problem.errors : []
    this.requestId = headers.get('X-Request-Id')
    this.retryAfterMs = retryAfterMs(headers)
  }
}

/** The request is not valid (400, 413, 415). `errors` lists the fields. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}

/** The API key is missing, unknown (401), inactive, expired or revoked (403). */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** The resource belongs to another organization (403). */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** The quotation or proposal does not exist, or its document is not ready yet (404). */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** The idempotency key is in use (409), or was used for another request (422); or the quote has already ended (409). */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** Events after the cursor are no longer kept (410). Start again without `after`. */
export class CursorExpiredError extends ApiError {
  override readonly name = 'CursorExpiredError'
}

/** Still over the rate limit after all retries (429). */
export class RateLimitedError extends ApiError {
  override readonly name = 'RateLimitedError'
}

/** The service failed (500) or is temporarily unavailable (503). */
export class ServiceError extends ApiError {
  override readonly name = 'ServiceError'
}

/** The pipeline run of a quote failed. */
export class QuotationFailedError extends Error {
  override readonly name = 'QuotationFailedError'
  readonly errorCode: string | null
  readonly quotation: Quotation

  constructor(quotation: Quotation) {
    super(`The quote ${quotation.id} failed: ${quotation.error_code ?? 'no error code'}`)
    this.errorCode = quotation.error_code
    this.quotation = quotation
  }
}

/** There was no connection, or it was lost: refused, no such name, a certificate that is not trusted. See `cause`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  /** @param address of the service, without credentials */
  constructor(address: string, cause: unknown) {
    super(`Connection to ${address} failed: ${reasonOf(cause)}`, { cause })
  }
}

/** `fetch` hides the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const { code, message } = (cause ?? error) as { code?: unknown; message?: unknown }
  return String(code ?? message)
}

/** A timeout: no response within the client's `timeoutMs`, or no end of a quote within that of `waitFor`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

const CLASSES: Partial<Record<ProblemCode, typeof ApiError>> = {
  VALIDATION_FAILED: ValidationError,
  MALFORMED_REQUEST: ValidationError,
  API_KEY_IN_QUERY: ValidationError,
  PAYLOAD_TOO_LARGE: ValidationError,
  UNSUPPORTED_MEDIA_TYPE: ValidationError,
  API_KEY_MISSING: AuthenticationError,
  API_KEY_INVALID: AuthenticationError,
  API_KEY_INACTIVE: AuthenticationError,
  API_KEY_EXPIRED: AuthenticationError,
  API_KEY_REVOKED: AuthenticationError,
  OTHER_ORGANIZATION: ForbiddenError,
  QUOTATION_NOT_FOUND: NotFoundError,
  PROPOSAL_NOT_FOUND: NotFoundError,
  DOCUMENT_NOT_READY: NotFoundError,
  ROUTE_NOT_FOUND: NotFoundError,
  IDEMPOTENCY_KEY_IN_USE: ConflictError,
  IDEMPOTENCY_KEY_REUSED: ConflictError,
  QUOTATION_ENDED: ConflictError,
  CURSOR_EXPIRED: CursorExpiredError,
  RATE_LIMITED: RateLimitedError,
  INTERNAL_ERROR: ServiceError,
  SERVICE_UNAVAILABLE: ServiceError,
}

export function apiError(response: FailedResponse): ApiError {
  const { body } = response
  // Another service may have any code: it may be `constructor`.
  const Class = isProblem(body) && Object.hasOwn(CLASSES, body.code) ? CLASSES[body.code] : undefined
  return new (Class ?? ApiError)(response)
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && isText(body.code)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function unexpected(status: number): string {
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  return isRedirect
    ? 'The server redirects, but the API key must not be sent to another address. Check baseUrl.'
    : 'The response is not from this API. Check baseUrl, and any proxies in between.'
}

/** Whole seconds, or a date (RFC 9110), which begins with a weekday: `Date.parse` accepts more. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const ms = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) - Date.now() : Number.NaN
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
