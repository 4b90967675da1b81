import type { FastifyRequest } from 'fastify'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const OWN_SITE = new Set(['same-origin', 'same-site', 'none'])

/**
 * Whether a request that changes something was sent by a page of another site. Browsers tell by `Sec-Fetch-Site`; those
 * that do not send it tell their `Origin`, which must be this host's: scheme, name and port, as the proxy tells them that the
 * host trusts (`trustProxy`). Without either the caller is no browser.
 * @param trustedOrigins pages of other sites that may call, as `https://app.example.com`
 */
export function isCrossSite(
  request: Pick<FastifyRequest, 'method' | 'headers' | 'protocol' | 'host'>,
  trustedOrigins: ReadonlySet<string>,
): boolean {
  if (SAFE_METHODS.has(request.method)) return false
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && trustedOrigins.has(origin)) return false
  if (site !== undefined) return !OWN_SITE.has(String(site))
  return origin !== undefined && !isOriginOf(origin, request)
}

function isOriginOf(origin: string, { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): boolean {
  const own = `${protocol}://${host}`
  return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin
}
