import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressGuard } from '@quickquote/core/internal'

/** No address of the host may be called. The message is the guard's reason. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError'
}

type Answer = Promise<readonly LookupAddress[]>

/** Asks for the addresses of a host: one answer, or one for each family, which may come at different times. */
export type Resolve = (hostname: string) => Answer | readonly Answer[]

/** Adapts a resolver of the host, which returns addresses without their family. */
export function resolveWith(resolve: (hostname: string) => Promise<readonly string[]>): Resolve {
  return async (hostname) => (await resolve(hostname)).map((address) => ({ address, family: isIP(address) }))
}

/** The allowed addresses of a host, in one answer or several. An answer rejects if it has none. */
export type CheckedLookup = (hostname: string) => readonly Answer[]

/**
 * The lookup for connections. It returns only allowed addresses, and the socket connects to exactly those: without a
 * second lookup between check and connect, DNS rebinding has no effect.
 *
 * It is not called for literal addresses: check those separately.
 */
export function checkedLookup(guard: AddressGuard, resolve: Resolve): CheckedLookup {
  async function allowed(answer: Answer): Answer {
    const found = await answer
    const verdicts = found.map(({ address }) => guard.check(address))
    const addresses = found.filter((_, index) => verdicts[index]?.allowed)
    if (addresses.length > 0) return addresses
    const refused = verdicts.find((verdict) => !verdict.allowed)
    throw refused === undefined || refused.allowed
      ? new NoAddressError()
      : new BlockedAddressError(refused.reason)
  }

  return (hostname) => {
    // A name allowed by the host may only be in this machine's hosts file.
    if (guard.allowsHost(hostname)) return [lookup(hostname, { all: true })]
    return [resolve(hostname)].flat().map(allowed)
  }
}

/** Once one family has answered, the other one has this long before the first address is used (RFC 8305, 3). */
const RESOLUTION_DELAY_MS = 50

/**
 * The addresses of a host in the order to try them: the families take turns, IPv4 first, because receivers often allow a
 * list of IPv4 addresses. Those of a late answer follow, and a silent name server does not delay those that are known.
 * @throws if there are none: BlockedAddressError if one was refused, otherwise the error of the first answer
 */
export async function* addressesInTurn(answers: ReturnType<CheckedLookup>): AsyncGenerator<string> {
  const [ipv4, ipv6]: [string[], string[]] = [[], []]
  const failures: unknown[] = []
  let outstanding = answers.length
  let tell: () => void = () => undefined
  for (const [index, answer] of answers.entries()) {
    answer
      .then(
        (found) => {
          for (const { address, family } of found) (family === 6 ? ipv6 : ipv4).push(address)
        },
        (error: unknown) => {
          failures[index] = error
        },
      )
      .then(() => {
        outstanding -= 1
        tell()
      })
  }
  const isKnown = () => ipv4.length + ipv6.length > 0
  const nextAnswer = () => new Promise<void>((resolve) => (tell = resolve))

  while (outstanding > 0 && !isKnown()) await nextAnswer()
  if (outstanding > 0) await Promise.race([nextAnswer(), sleep(RESOLUTION_DELAY_MS)])
  if (!isKnown()) {
    throw (
      failures.find((error) => error instanceof BlockedAddressError) ??
      failures.find((error) => error !== undefined)
    )
  }
  let [next, other] = [ipv4, ipv6]
  for (;;) {
    const address = next.shift()
    if (address !== undefined) yield address
    else if (other.length === 0 && outstanding === 0) return
    else if (other.length === 0) await nextAnswer()
    ;[next, other] = [other, next]
  }
}

class NoAddressError extends Error {
  readonly code = 'ENODATA'
  readonly syscall = 'query'
}

/** The timeout of a DNS query, which is tried twice. */
const QUESTION_TIMEOUT_MS = 2000

/** c-ares reads the system's settings, such as `/etc/resolv.conf`, when a Resolver is created, and never again. */
const RESOLVER_AGE_MS = 30_000

/**
 * Queries the name servers of this machine, whichever they are at the time. `dns.lookup` would block one of the process's
 * four threads while a name server is silent, and signatures need the same threads.
 * @param now a monotonic clock in milliseconds
 */
export function createResolve(now: () => number = () => performance.now()): Resolve {
  let resolver: Resolver
  let createdAt = Number.NEGATIVE_INFINITY

  return (hostname) => {
    if (now() - createdAt > RESOLVER_AGE_MS) {
      resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: 2 })
      createdAt = now()
    }
    return [
      resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]
  }
}
