import { isIP } from 'node:net'
import { addressBits, IPV4, isIPv4 } from './address-bits.ts'
import { ConfigurationError } from './errors.ts'
import { parseUrl } from './text.ts'

/** `reason` is one short line for the owner of the endpoint. */
type AddressVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

/** Decides which addresses webhooks may be sent to. It resolves no names: check every address of a name. */
export interface AddressGuard {
  /**
   * Checks an IP address in the spelling of a resolver or URL parser (IPv6 with or without brackets). Refuses names and
   * zones (`fe80::1%eth0`). Connect to the exact address that was checked.
   */
  check(address: string): AddressVerdict
  /** Whether the host allowed this exact name, so that its addresses need no check. */
  allowsHost(hostname: string): boolean
}

const NAT64 = 0x64_ff9bn << 64n

/**
 * Non-public CIDRs, from IANA's two registries of special-purpose addresses. The first match is the reason, so specific
 * ranges come first. IPv6 outside 2000::/3 is always refused.
 */
const BLOCKED = [
  ['a metadata service', '169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
  ['unspecified', '0.0.0.0', '::'],
  ['on this network', '0.0.0.0/8'],
  ['loopback', '127.0.0.0/8', '::1'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['shared by a carrier', '100.64.0.0/10'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['broadcast', '255.255.255.255'],
  ['for documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['for benchmarking', '198.18.0.0/15', '2001:2::/48'],
  ['IPv4 in IPv6', '::/96', '::ffff:0:0:0/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  ['a 6to4 relay', '192.88.99.0/24'],
  ['an AS112 or AMT node', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '2620:4f:8000::/48'],
  ['reserved', '192.0.0.0/24', '240.0.0.0/4', '2001::/23'],
  ['discarded', '100::/64'],
]

/** Parsing them takes milliseconds, which a process that sends nothing saves. */
let blocked: ReturnType<typeof parseBlocked> | undefined

function parseBlocked() {
  return BLOCKED.flatMap(([what = '', ...cidrs]) =>
    cidrs.map((cidr) => ({ what, cidr, range: toRange(cidr) })),
  )
}

/**
 * Creates the guard. By default only public unicast addresses are allowed.
 *
 * @param options.allow CIDRs (`10.1.0.0/16`, `::1/128`), addresses and ASCII host names (`receiver.internal`) to allow
 *   although they are not public. An IPv4 entry also covers its IPv6-mapped and NAT64 forms. An IPv6 entry, even
 * `::/0`,
 *   covers no IPv4 address that it does not spell out.
 * @throws ConfigurationError for any other entry
 */
export function addressGuard(options: { readonly allow?: readonly string[] } = {}): AddressGuard {
  const allowed = (options.allow ?? []).map((entry, index) => toRange(entry) ?? toHostName(entry, index))
  const ranges = allowed.filter((entry) => typeof entry !== 'string')
  const hosts = new Set(allowed.filter((entry) => typeof entry === 'string'))

  return {
    check(address) {
      const text = /^\[([\da-f.]*:[\da-f.:]*)\]$/i.exec(address)?.[1] ?? address
      const literal = addressBits(text)
      if (literal === undefined) return { allowed: false, reason: 'not an IP address, or one with a zone' }
      const target = behindNat64(literal)
      const isListed = ranges.some((range) => contains(range, literal) || contains(range, target))
      const why = isListed ? undefined : whyBlocked(target)
      return why === undefined ? { allowed: true } : { allowed: false, reason: `address ${text} is ${why}` }
    },
    allowsHost: (hostname) => hosts.has(canonicalName(hostname)),
  }
}

/** Whether a text is an address or a CIDR without host bits. */
export function isAddressRange(text: string): boolean {
  return toRange(text) !== undefined
}

function whyBlocked(address: bigint): string | undefined {
  // Fails closed: an invalid range in the table blocks everything.
  blocked ??= parseBlocked()
  const found = blocked.find(({ range }) => range === undefined || contains(range, address))
  if (found !== undefined) return `${found.what} (${found.cidr})`
  if (isIPv4(address)) return undefined
  if (address >> 125n !== 1n) return 'not global unicast (2000::/3)'
  // ISATAP (RFC 5214) embeds an IPv4 address below any prefix. The two masked bits are flags.
  if (((address >> 32n) & 0xfcff_ffffn) === 0x5efen) return 'IPv4 in IPv6 (ISATAP)'
  return undefined
}

/** A CIDR: the addresses whose bits above `shift` equal those of `base`. */
interface Range {
  readonly base: bigint
  readonly shift: bigint
}

// Not net.BlockList: its ::/0 and ::ffff:0:0/96 match every IPv4 address, and it does not report which rule matched.
function contains({ base, shift }: Range, address: bigint): boolean {
  return isIPv4(base) === isIPv4(address) && base >> shift === address >> shift
}

/** Undefined if invalid, or with host bits: the author of `10.0.0.5/8` meant something else. */
function toRange(cidr: string): Range | undefined {
  const [, address = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(cidr) ?? []
  const width = isIP(address) === 4 ? 32 : 128
  const base = addressBits(address)
  if (base === undefined || Number(length ?? 0) > width) return undefined
  const shift = BigInt(width - Number(length ?? width))
  return (base >> shift) << shift === base ? { base, shift } : undefined
}

/**
 * The IPv4 address behind a NAT64 gateway (RFC 6052), which is how IPv6-only networks reach IPv4 receivers. Only the
 * well-known prefix is recognizable; for other prefixes the gateway must refuse.
 */
function behindNat64(address: bigint): bigint {
  return address >> 32n === NAT64 ? (IPV4 << 32n) | (address & 0xffff_ffffn) : address
}

function canonicalName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Accepts only names that the URL parser leaves unchanged: `0x7f.1` and `2130706433` are addresses in disguise. */
function toHostName(entry: string, index: number): string {
  const url = `https://${entry}`
  const isName = /^[\w-]+(\.[\w-]+)*\.?$/.test(entry)
  if (isName && parseUrl(url)?.hostname === entry.toLowerCase()) return canonicalName(entry)
  throw new ConfigurationError(
    `allowAddresses[${index}] must be a CIDR without host bits (10.1.0.0/16, ::1/128), an address, or a host name in ASCII without wildcards.`,
  )
}
