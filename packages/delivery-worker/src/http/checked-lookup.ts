import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { AddressGuard } from '@quickquote/core/internal'

/** No address of the host may be called. The message is the guard's reason. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError'
}

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The resolver of a host, which names addresses alone. */
export function resolveWith(resolve: (hostname: string) => Promise<readonly string[]>): Resolve {
  return async (hostname) => (await resolve(hostname)).map((address) => ({ address, family: isIP(address) }))
}

/**
 * The lookup for connections. It returns only allowed addresses, and the socket connects to exactly those: without a
 * second lookup between check and connect, DNS rebinding has no effect.
 *
 * Sockets do not call it for literal addresses: check those separately.
 */
export function checkedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  async function allowedAddresses(hostname: string): Promise<readonly LookupAddress[]> {
    // A name allowed by the host may only be in this machine's hosts file.
    if (guard.allowsHost(hostname)) return lookup(hostname, { all: true })
    const found = await resolve(hostname)
    const verdicts = found.map(({ address }) => guard.check(address))
    const allowed = found.filter((_, index) => verdicts[index]?.allowed)
    const refused = verdicts.find((verdict) => !verdict.allowed)
    if (allowed.length === 0 && refused !== undefined && !refused.allowed) {
      throw new BlockedAddressError(refused.reason)
    }
    return allowed
  }

  return (hostname, options, callback) => {
    allowedAddresses(hostname).then(
      (allowed) => {
        const [first] = allowed
        if (first === undefined) callback(new NoAddressError(), [])
        else if (options.all) callback(null, [...allowed])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

class NoAddressError extends Error {
  readonly code = 'ENODATA'
  readonly syscall = 'query'
}

/** The timeout of a DNS query, which is tried twice. */
const QUESTION_TIMEOUT_MS = 2000

/**
 * Queries the name servers of this machine. `dns.lookup` would block one of the process's four threads while a name
 * server is silent, and signatures need the same threads.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: 2 })
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const [ipv4, ipv6] = answers
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    )
    if (found.length === 0 && ipv4?.status === 'rejected' && ipv6?.status === 'rejected') throw ipv4.reason
    return found
  }
}
