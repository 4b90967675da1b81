import { isAddressRange } from '../lib/address-guard.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { completeOptions, isFunction, listOf, type OptionTable } from '../lib/option-check.ts'
import { SecretValue } from '../lib/secret-value.ts'
import { parseUrl } from '../lib/text.ts'

/** PEM certificates. */
export type Certificates = string | Uint8Array | readonly (string | Uint8Array)[]

/** How webhooks leave your network, for deliveries and tests of all workers. */
export interface EgressOptions {
  /**
   * URL of an HTTP proxy for all webhooks, with its credentials: `http://user:password@proxy.internal:3128`, or `https://`.
   * Names are still resolved and checked here, and the proxy is asked (`CONNECT`) for the address that was checked. No
   * environment variable is read. Default none.
   */
  readonly proxy?: string | undefined
  /**
   * Leaves resolving names to the proxy, for a network without public DNS or a proxy that decides by name. The proxy alone
   * must then refuse private addresses; only addresses in URLs are still checked here. Default false.
   */
  readonly proxyResolves?: boolean
  /**
   * Addresses and CIDRs that webhooks come from, shown in the event catalog and the portal for the firewalls of receivers.
   * No socket is bound to them. Default none.
   */
  readonly sourceAddresses?: readonly string[]
  /**
   * Certificates (PEM) to trust in addition to the public ones, for receivers and for an `https://` proxy. Replaces
   * `NODE_EXTRA_CA_CERTS`; `ca` of a worker overrides it. Default none.
   */
  readonly ca?: Certificates
  /**
   * Resolves host names, for tests and for names that no name server knows. The addresses that it returns are checked like
   * any others. Default: the name servers of this machine.
   */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
}

/** The proxy, without its credentials in the clear. */
export interface EgressProxy {
  readonly isSecure: boolean
  readonly hostname: string
  readonly port: number
  /** The value of `Proxy-Authorization`. */
  readonly authorization: SecretValue | null
  readonly resolves: boolean
}

export interface Egress {
  readonly proxy: EgressProxy | null
  readonly sourceAddresses: readonly string[]
  readonly ca: Certificates | undefined
  readonly resolve: EgressOptions['resolve']
}

export const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----'

export const CERTIFICATES = {
  check: (given) => [given].flat().every(hasCertificate),
  rule: `must be certificates in PEM (${BEGIN_CERTIFICATE}), not a path: a string, a Buffer, or a list of them.`,
} satisfies OptionTable[string]

function hasCertificate(given: unknown): boolean {
  const text = given instanceof Uint8Array ? Buffer.from(given).toString('latin1') : given
  return typeof text === 'string' && text.includes(BEGIN_CERTIFICATE)
}

/** @public: read by the generator of the reference */
export const OPTIONS = {
  proxy: {},
  proxyResolves: { default: false },
  sourceAddresses: {
    default: [] as readonly string[],
    check: listOf((each) => typeof each === 'string' && isAddressRange(each)),
    rule: "must be a list of addresses and CIDRs, such as ['203.0.113.7', '203.0.113.16/28'].",
  },
  ca: CERTIFICATES,
  resolve: { check: isFunction, rule: 'must be a function (hostname) => addresses.' },
} satisfies Record<keyof EgressOptions, OptionTable[string]>

/** @throws ConfigurationError for an option that is unknown or wrong; it repeats no value */
export function createEgress(options: EgressOptions = {}): Egress {
  const checked = completeOptions('createIntegrations: egress', OPTIONS, options)
  const { proxy, proxyResolves, sourceAddresses, ca, resolve } = checked
  // An environment variable that is set to nothing names no proxy.
  const parsed = proxy === undefined || proxy === '' ? null : parseProxy(proxy, proxyResolves)
  expect(parsed !== null || !proxyResolves, 'proxyResolves needs a proxy.')
  return { proxy: parsed, sourceAddresses, ca, resolve }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

function parseProxy(text: unknown, resolves: boolean): EgressProxy {
  const url = typeof text === 'string' ? parseUrl(text) : null
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? '']
  const username = decode(url?.username)
  const password = decode(url?.password)
  expect(
    url !== null && defaultPort !== undefined && username !== null && password !== null,
    'proxy must be a URL that begins with http:// or https://, such as http://user:password@proxy.internal:3128; percent-encode special characters of its credentials.',
  )
  expect(
    url.pathname === '/' && url.search === '' && url.hash === '',
    'proxy must be a URL without a path, such as http://proxy.internal:3128.',
  )
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  return {
    isSecure: url.protocol === 'https:',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    authorization:
      username === '' && password === '' ? null : new SecretValue(`Basic ${credentials}`, 'Basic '),
    resolves,
  }
}

function decode(text: string | undefined): string | null {
  try {
    return decodeURIComponent(text ?? '')
  } catch {
    return null
  }
}

function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ConfigurationError(`createIntegrations: egress.${message}`)
}
