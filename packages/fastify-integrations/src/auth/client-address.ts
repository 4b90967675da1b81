import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** The IP address of a request. Null for Unix sockets, disconnected clients, and invalid values of a trusted proxy. */
export function ipOf({ ip }: { readonly ip: string | undefined }): string | null {
  return ip === undefined || isIP(ip) === 0 ? null : ip
}

/**
 * Identifies a client by a hash of its address. An IPv6 /64 is one client, and an IPv4-mapped address is its IPv4
 * address. The hash is short whatever a client sends in a forwarding header. All requests without an address (Unix
 * sockets, disconnected clients) count as one client.
 */
export function clientOf({ ip }: { readonly ip: string | undefined }): string {
  const address = ip ?? ''
  return hash('sha256', isIP(address) === 0 ? address : normalizeIP(address), 'base64url')
}
