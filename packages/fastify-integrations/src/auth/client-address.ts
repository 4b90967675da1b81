import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/**
 * Tells clients apart by their address: an IPv6 /64 is one client, and an IPv4 address in IPv6 is that IPv4 address.
 * It is a hash, so that it is short whatever a client wrote into a forwarding header. Requests without an address (over a
 * Unix socket; of a client that has hung up) are all of one client.
 */
export function clientOf({ ip }: { readonly ip: string | undefined }): string {
  const address = ip ?? ''
  return hash('sha256', isIP(address) === 0 ? address : normalizeIP(address), 'base64url')
}
