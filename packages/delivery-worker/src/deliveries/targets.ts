import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { Settings } from '@quickquote/core'
import { type ClaimedDelivery, decryptHeaders, isReservedHeader } from '@quickquote/core/internal'
import { secretsOf } from '../http/hidden-values.ts'
import { remember } from '../lib/remember.ts'

/** HMAC-SHA256 with an endpoint's secret: in hex, or in base64 for Standard Webhooks. */
type Hmac = (content: string) => string

/** Everything derived from an endpoint for sending. */
export interface Target {
  readonly origin: string
  readonly path: string
  readonly key: Hmac
  /** For earlier secrets whose overlap lasts, newest first. */
  readonly previousKeys: readonly Hmac[]
  /** The same keys for Standard Webhooks, newest first. */
  readonly standardKeys: readonly Hmac[]
  /** The endpoint's own headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Values to hide in recorded responses. */
  readonly hidden: readonly string[]
  /** Why nothing may be sent to it; null if it may. A host name is checked when it is resolved. */
  readonly blocked: string | null
}

/** Throws if the endpoint's secret or headers cannot be decrypted. */
type Targets = (endpoint: ClaimedDelivery['endpoint']) => Target

type Means = Pick<Settings, 'keyring' | 'addressGuard' | 'productName'>

/** The size of the cache. An endpoint takes about a kilobyte. */
const MAX_KEPT = 10_000

/** Decrypts secrets and parses URLs once per version of an endpoint. Failures are not cached: a missing key may be added. */
export function createTargets(settings: Means): Targets {
  const kept = new Map<string, { readonly version: string; readonly target: Target }>()

  return (endpoint) => {
    const { id } = endpoint
    // The overlaps of rotations end without a new version.
    const version = `${endpoint.version} ${endpoint.previousSecrets.length}`
    const known = kept.get(id)
    if (known?.version === version) return known.target
    const target = createTarget(endpoint, settings)
    remember(kept, id, { version, target }, MAX_KEPT)
    return target
  }
}

function createTarget(
  { id, url, secret, previousSecrets, headers }: ClaimedDelivery['endpoint'],
  { keyring, addressGuard, productName }: Means,
): Target {
  const { protocol, origin, hostname, pathname, search } = new URL(url)
  const current = keyring.decrypt(secret, id)
  const previous = previousSecrets.map((each) => keyring.decrypt(each, id))
  // Our own headers win, even if the product was renamed after the endpoint got its headers.
  const own = decryptHeaders(keyring, headers, id).filter(([name]) => !isReservedHeader(name, productName))
  return {
    origin,
    path: pathname + search,
    key: hexHmacOf(current),
    previousKeys: previous.map(hexHmacOf),
    standardKeys: [current, ...previous].map(standardHmacOf),
    headers: Object.fromEntries(own),
    hidden: own.flatMap(([, value]) => secretsOf(value)),
    blocked: protocol === 'https:' ? whyBlocked(hostname, addressGuard) : 'webhooks are sent over HTTPS only',
  }
}

/** The key is the whole secret as text. */
export function hexHmacOf(secret: string): Hmac {
  return hmacOf(createSecretKey(secret, 'utf8'), 'hex')
}

/** Node's own crypto: Web Crypto hands each body to another thread, which costs ten times the HMAC. */
function hmacOf(key: KeyObject, encoding: 'hex' | 'base64'): Hmac {
  return (content) => createHmac('sha256', key).update(content).digest(encoding)
}

/** The key is the decoded bytes after `whsec_`. */
export function standardHmacOf(secret: string): Hmac {
  return hmacOf(createSecretKey(secret.replace(/^whsec_/, ''), 'base64'), 'base64')
}

/** Sockets do not look up literal addresses, so those are checked here. */
function whyBlocked(hostname: string, guard: Means['addressGuard']): string | null {
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  if (!isAddress || guard.allowsHost(hostname)) return null
  const verdict = guard.check(hostname)
  return verdict.allowed ? null : verdict.reason
}
