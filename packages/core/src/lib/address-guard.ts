import { isIP } from 'node:net'
import { ConfigurationError } from './errors.ts'

/** What the guard says of an address. `reason` is one short line that may be shown to whoever owns the endpoint. */
export type AddressVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

/** Which addresses a webhook may be sent to. It resolves nothing: ask it about every address that a name has. */
export interface AddressGuard {
  /**
   * Judges an IP address as a resolver or the URL parser spells it (IPv6 with or without brackets). A name, or an
   * address with a zone (`fe80::1%eth0`), is refused. Connect to the very address that was checked.
   */
  check(address: string): AddressVerdict
  /** Whether the host allowed this very name: what it resolves to then needs no check. Names below it do not count. */
  allowsHost(hostname: string): boolean
}

const IPV4 = 0xffffn
const NAT64 = 0x64_ff9bn << 64n

/**
 * What is not public: what it is, and its CIDRs, after IANA's two registries of special-purpose addresses. The first
 * match is the reason, so the special stands before the general. IPv6 outside of 2000::/3 is refused in any case.
 */
const BLOCKED = [
  ['a metadata service', '169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
  ['unspecified', '0.0.0.0', '::'],
  ['of this network', '0.0.0.0/8'],
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
].flatMap(([what = '', ...cidrs]) => cidrs.map((cidr) => ({ what, cidr, range: toRange(cidr) })))

/**
 * Makes the guard. Without options only public unicast addresses are allowed.
 *
 * @param options.allow What may be reached although it is not public: CIDRs (`10.1.0.0/16`, `::1/128`), addresses, and
 *   host names in ASCII (`receiver.internal`). An IPv4 entry covers the same address mapped into IPv6 or behind NAT64.
 *   An IPv6 entry, even `::/0`, covers no IPv4 address that it does not spell out.
 * @throws ConfigurationError for an entry that is none of these
 */
export function addressGuard(options: { readonly allow?: readonly string[] } = {}): AddressGuard {
  const allowed = (options.allow ?? []).map((entry, index) => toRange(entry) ?? toHostName(entry, index))
  const ranges = allowed.filter((entry) => typeof entry !== 'string')
  const hosts = new Set(allowed.filter((entry) => typeof entry === 'string'))

  return {
    check(address) {
      const text = /^\[([\da-f.]*:[\da-f.:]*)\]$/i.exec(address)?.[1] ?? address
      const literal = toBits(text)
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
  // Fails closed: a slip in the table (no range) blocks everything.
  const blocked = BLOCKED.find(({ range }) => range === undefined || contains(range, address))
  if (blocked !== undefined) return `${blocked.what} (${blocked.cidr})`
  if (isIPv4(address)) return undefined
  if (address >> 125n !== 1n) return 'not global unicast (2000::/3)'
  // ISATAP (RFC 5214) carries an IPv4 address below any prefix. The two bits left out of its mark are flags.
  if (((address >> 32n) & 0xfcff_ffffn) === 0x5efen) return 'IPv4 in IPv6 (ISATAP)'
  return undefined
}

/** A CIDR: the addresses whose bits above `shift` are those of `base`. */
interface Range {
  readonly base: bigint
  readonly shift: bigint
}

// Not net.BlockList: there ::/0 and ::ffff:0:0/96 match every IPv4 address, and it cannot say which rule matched.
function contains({ base, shift }: Range, address: bigint): boolean {
  return isIPv4(base) === isIPv4(address) && base >> shift === address >> shift
}

/** Undefined for what is no CIDR, or has bits set beyond its length: who wrote `10.0.0.5/8` meant something else. */
function toRange(cidr: string): Range | undefined {
  const [, address = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(cidr) ?? []
  const width = isIP(address) === 4 ? 32 : 128
  const base = toBits(address)
  if (base === undefined || Number(length ?? 0) > width) return undefined
  const shift = BigInt(width - Number(length ?? width))
  return (base >> shift) << shift === base ? { base, shift } : undefined
}

/** The 128 bits of an address. IPv4 becomes IPv4-mapped IPv6, so that the two spellings are one by construction. */
function toBits(address: string): bigint | undefined {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  if (family === 4) return (IPV4 << 32n) | ipv4Bits(address)
  const hex = address.replace(/[\d.]+\.\d+$/, (dotted) => {
    const bits = ipv4Bits(dotted)
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
  })
  const [left = [], right = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return BigInt(`0x${[...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('')}`)
}

function ipv4Bits(dotted: string): bigint {
  return dotted.split('.').reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n)
}

function isIPv4(address: bigint): boolean {
  return address >> 32n === IPV4
}

/**
 * What a NAT64 gateway (RFC 6052) passes it on to: a network without IPv4 reaches every IPv4 receiver this way. Only the
 * well-known prefix can be told by its look; behind a prefix of the network's own, the gateway has to refuse.
 */
function behindNat64(address: bigint): bigint {
  return address >> 32n === NAT64 ? (IPV4 << 32n) | (address & 0xffff_ffffn) : address
}

function canonicalName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Takes only what the URL parser leaves as it is: `0x7f.1` and `2130706433` are addresses in disguise. */
function toHostName(entry: string, index: number): string {
  const url = `https://${entry}`
  const isName = /^[\w-]+(\.[\w-]+)*\.?$/.test(entry) && URL.canParse(url)
  if (isName && new URL(url).hostname === entry.toLowerCase()) return canonicalName(entry)
  throw new ConfigurationError(
    `allowAddresses[${index}] must be a CIDR without host bits (10.1.0.0/16, ::1/128), an address, or a host name in ASCII without wildcards.`,
  )
}
