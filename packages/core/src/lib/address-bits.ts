import { isIP } from 'node:net'

/** The first 96 bits of an IPv4-mapped address. */
export const IPV4 = 0xffffn

/** The 128 bits of an IP address. IPv4 becomes IPv4-mapped IPv6, so that both spellings are equal. Undefined for a zone. */
export function addressBits(address: string): bigint | undefined {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  if (family === 4) return (IPV4 << 32n) | ipv4Bits(address)
  const hex = address.replace(/:(\d{1,3}(?:\.\d{1,3}){3})$/, (_, dotted: string) => {
    const bits = ipv4Bits(dotted)
    return `:${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
  })
  const [left = [], right = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return BigInt(`0x${[...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('')}`)
}

function ipv4Bits(dotted: string): bigint {
  return dotted.split('.').reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n)
}

/** Whether the bits are those of an IPv4 address, in either spelling. */
export function isIPv4(address: bigint): boolean {
  return address >> 32n === IPV4
}
