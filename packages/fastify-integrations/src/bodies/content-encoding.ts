import type { IncomingHttpHeaders } from 'node:http'
import { IntegrationError } from '@quickquote/core'

/** Whether a body is compressed, or says so. An empty `Content-Encoding` names no coding. */
export function isEncoded(headers: IncomingHttpHeaders): boolean {
  const codings = (headers['content-encoding'] ?? '').split(',').map((coding) => coding.trim().toLowerCase())
  return codings.some((coding) => coding !== '' && coding !== 'identity')
}

/** @throws IntegrationError UNSUPPORTED_MEDIA_TYPE, which the error handler answers with `Accept-Encoding: identity` */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  if (isEncoded(headers)) {
    throw new IntegrationError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.')
  }
}
