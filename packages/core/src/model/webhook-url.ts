import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import type { AddressGuard } from '../lib/address-guard.ts'
import { parseUrl } from '../lib/text.ts'
import { DEFAULT_LIMITS } from './limits.ts'

/**
 * Names that stay within a machine or network (RFC 6761, RFC 6762, ICANN's `.internal`, RFC 8375). Other names may
 * still resolve to a private address: delivery checks every address of every name.
 */
const LOCAL_DOMAINS = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * What is wrong with the URL of a webhook endpoint, without I/O; undefined: nothing. Allowed are https, no credentials, no
 * fragment, a public host, any port; and the CIDRs and names that the guard allows. Every WHATWG parser reads such a URL
 * alike. The text repeats nothing of the URL but an address.
 *
 * @param options.maxLength in Unicode code points. Default 2,048.
 */
export function webhookUrlProblem(
  url: string,
  {
    guard,
    maxLength = DEFAULT_LIMITS.urlLength,
  }: { readonly guard: AddressGuard; readonly maxLength?: number },
): string | undefined {
  if ([...url].length > maxLength) return `must have at most ${maxLength} characters`
  // The URL parser silently drops or rewrites these, so two readers might see two different hosts.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(url)) {
    return 'must not contain spaces, control or invisible characters, or backslashes; percent-encode them'
  }
  if (!/^https:\/\/[^/?#]/i.test(url)) return 'must be an absolute URL that starts with https://'
  if (/^https:\/\/[^/?#]*@/i.test(url)) return 'must not contain a user name or password'
  if (url.includes('#')) return 'must not contain a fragment (#)'
  const hostname = parseUrl(url)?.hostname
  if (hostname === undefined) return INVALID
  return hostname.split('.').every(isDecodable) ? whatIsWrongWithHost(hostname, guard) : INVALID
}

const INVALID = 'must be a valid URL with a valid host and port'

/** Newer versions of Node accept any label that begins like an internationalized name. */
function isDecodable(label: string): boolean {
  return !label.startsWith('xn--') || /[^\0-\x7f]/.test(domainToUnicode(label))
}

/** `hostname` comes from the URL parser, which turns every spelling of an IPv4 address into dotted decimal. */
function whatIsWrongWithHost(hostname: string, guard: AddressGuard): string | undefined {
  if (guard.allowsHost(hostname)) return undefined
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) {
    const verdict = guard.check(hostname)
    return verdict.allowed ? undefined : `must have a public host: ${verdict.reason}`
  }
  const name = hostname.replace(/\.$/, '')
  // A single label is looked up in the search domains of the sender's own network.
  if (!/^[^.]+(\.[^.]+)+$/.test(name))
    return 'must have a full domain name as its host, such as hooks.example.com'
  if (LOCAL_DOMAINS.some((domain) => name.endsWith(`.${domain}`) || name === domain)) {
    return `must have a public host: ${LOCAL_DOMAINS.join(', ')} and their subdomains are local`
  }
  return undefined
}
