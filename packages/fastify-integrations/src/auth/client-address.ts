import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { addressBits, isIPv4 } from '@quickquote/core/internal'

/** The IP address of a request. Null for Unix sockets, disconnected clients, and invalid values of a trusted proxy. */
export function ipOf({ ip }: { readonly ip: string | undefined }): string | null {
  return ip === undefined || isIP(ip) === 0 ? null : ip
}

/**
 * Identifies a client by a hash of its address. An IPv6 /64 is one client, whatever its zone, and an IPv4-mapped address
 * is its IPv4 address. The hash is short whatever a client sends in a forwarding header. All requests without an address
 * (Unix sockets, disconnected clients) count as one client.
 */
export function clientOf({ ip = '' }: { readonly ip: string | undefined }): string {
  const bits = isIP(ip) === 0 ? undefined : addressBits(ip.replace(/%.*/, ''))
  const client = bits === undefined ? ip : String(isIPv4(bits) ? bits : (bits >> 64n) << 64n)
  return hash('sha256', client, 'base64url')
}
