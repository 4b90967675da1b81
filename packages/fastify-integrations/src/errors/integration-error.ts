import { type ErrorCode, IntegrationError } from '@quickquote/core'
import type { Access } from '../route.ts'

/** The codes for statuses used by the host's hooks (guards, limiters, load shedding) and by Fastify. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'MALFORMED_REQUEST',
  401: 'SESSION_REQUIRED',
  403: 'PERMISSION_REQUIRED',
  404: 'ROUTE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'MALFORMED_REQUEST',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
}

/** Errors of Fastify that deserve a better message than their status. */
const DETAIL_OF_CODE: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The URL contains a malformed percent-escape.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
}

/**
 * Converts any error into one of the table. The message of a foreign error is never exposed.
 * @param replyStatus the status set on the reply, which counts for an error without one, as in Fastify
 */
export function toIntegrationError(error: unknown, replyStatus?: number): IntegrationError {
  if (error instanceof IntegrationError) return error
  const { statusCode, status: own = replyStatus, code: ownCode } = (error ?? {}) as Record<string, unknown>
  const status = statusCode ?? own
  const detail = DETAIL_OF_CODE[String(ownCode)]
  const isRefusal = typeof status === 'number' && status >= 400 && status < 500
  const code = CODE_OF_STATUS[Number(status)] ?? (isRefusal ? 'REQUEST_REFUSED' : 'INTERNAL_ERROR')
  return new IntegrationError(code, detail, {
    cause: error,
    ...(code === 'REQUEST_REFUSED' && { status: Number(status) }),
  })
}

/**
 * The error as the caller sees it. A caller from an organization being erased learns only that they no longer have
 * access.
 */
export function seenFrom(access: Access | 'public' | undefined, error: IntegrationError): IntegrationError {
  if (error.code !== 'ORGANIZATION_ERASED') return error
  return new IntegrationError(access === 'api_key' ? 'API_KEY_REVOKED' : 'NOT_A_MEMBER', undefined, {
    cause: error,
  })
}
