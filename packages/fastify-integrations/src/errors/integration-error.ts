import { type ErrorCode, IntegrationError } from '@quickquote/core'
import type { Access } from '../route.ts'

/** Statuses that hooks of the host (guards, limiters, load shedding) and Fastify itself refuse with. */
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

/** Errors of Fastify that are worth more words than their status has. */
const DETAIL_OF_CODE: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The URL holds a malformed percent-escape.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
}

/** Turns whatever was thrown into an error of the table. The words of a foreign error are never passed on. */
export function toIntegrationError(error: unknown): IntegrationError {
  if (error instanceof IntegrationError) return error
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown }
  return new IntegrationError(codeOf(statusCode), DETAIL_OF_CODE[String(code)], { cause: error })
}

/**
 * The error as whoever called the route sees it. Of an organization that is being erased they learn no more than that they
 * have no access to it any more.
 */
export function seenFrom(access: Access | 'public' | undefined, error: IntegrationError): IntegrationError {
  if (error.code !== 'ORGANIZATION_ERASED') return error
  return new IntegrationError(access === 'api_key' ? 'API_KEY_REVOKED' : 'NOT_A_MEMBER', undefined, {
    cause: error,
  })
}

function codeOf(status: unknown): ErrorCode {
  if (typeof status !== 'number') return 'INTERNAL_ERROR'
  return CODE_OF_STATUS[status] ?? (status >= 400 && status < 500 ? 'MALFORMED_REQUEST' : 'INTERNAL_ERROR')
}
