import { parseUrl } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const OWN_SITE = new Set(['same-origin', 'same-site', 'none'])

/**
 * Whether a page of another site sent a request that makes changes. Browsers send `Sec-Fetch-Site`, or else an
 * `Origin`, which must match this host's scheme, name and port, as reported by a trusted proxy (`trustProxy`). A caller
 * without either is not a browser.
 * @param trustedOrigins other origins whose pages may call, such as `https://app.example.com`
 */
export function isCrossSite(
  request: Pick<FastifyRequest, 'method' | 'headers' | 'protocol' | 'host'>,
  trustedOrigins: readonly string[],
): boolean {
  if (SAFE_METHODS.has(request.method)) return false
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && trustedOrigins.includes(origin)) return false
  if (site !== undefined) return !OWN_SITE.has(String(site))
  return origin !== undefined && !isOriginOf(origin, request)
}

function isOriginOf(origin: string, { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): boolean {
  const own = parseUrl(`${protocol}://${host}`)
  return own !== null && parseUrl(origin)?.origin === own.origin
}
