import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import type { AddressGuard } from '../lib/address-guard.ts'
import { parseUrl } from '../lib/text.ts'
import { DEFAULT_LIMITS } from './limits.ts'

/** `detail` says what is allowed, and repeats nothing of the URL but an address. */
export type CheckedWebhookUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly detail: string }

/**
 * Names that stay within a machine or network (RFC 6761, RFC 6762, ICANN's `.internal`, RFC 8375). Other names may
 * still resolve to a private address: delivery checks every address of every name.
 */
const LOCAL_DOMAINS = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * Checks the URL of a webhook endpoint without I/O: https, no credentials, no fragment, a public host, any port. `url`
 * is returned unchanged; every WHATWG parser reads it alike. CIDRs and names allowed by the guard pass.
 *
 * @param options.maxLength in Unicode code points. Default 2,048.
 */
export function checkWebhookUrl(
  url: string,
  options: { readonly guard: AddressGuard; readonly maxLength?: number },
): CheckedWebhookUrl {
  const { guard, maxLength = DEFAULT_LIMITS.urlLength } = options
  const detail = whatIsWrong(url, guard, maxLength)
  return detail === undefined ? { ok: true, url } : { ok: false, detail }
}

function whatIsWrong(url: string, guard: AddressGuard, maxLength: number): string | undefined {
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
