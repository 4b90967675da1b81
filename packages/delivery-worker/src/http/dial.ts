import { connect, type Socket } from 'node:net'

/** Opens a TCP connection to a host, or a tunnel to it. */
export type Open = (hostname: string, port: number) => Promise<Socket>

/** An address that does not connect within this time is joined by the next one (RFC 8305, 5). */
const ATTEMPT_DELAY_MS = 250

/** This machine has no way to that family of addresses: other failures say more about the receiver. */
const NO_ROUTE = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** A connection that is being opened. */
export interface Dialing {
  readonly socket: Promise<Socket>
  /** Gives up: `socket` rejects with this error, unless it is open already. */
  stop(error: unknown): void
}

/**
 * Connects to the first of several addresses that responds ("Happy Eyeballs", RFC 8305). No address is given up when the
 * next one begins: Node's `autoSelectFamily` does that, so a receiver whose handshake takes longer than 250 ms could
 * never be reached.
 *
 * It rejects with the first failure that is about the receiver, not about this machine.
 * @param addresses see `addressesInTurn`
 * @param timeoutMs for everything
 */
export function dial(addresses: AsyncIterable<string>, port: number, timeoutMs: number): Dialing {
  const connecting = new Set<Socket>()
  const failures: NodeJS.ErrnoException[] = []
  let isOver = false
  let areAllTried = false
  let goOn: () => void = () => undefined
  let succeed: (socket: Socket) => void
  let reject: (error: unknown) => void
  const socket = new Promise<Socket>((resolve, refuse) => {
    succeed = resolve
    reject = refuse
  })
  const deadline = setTimeout(() => stop(timedOut()), timeoutMs)
  tryInTurn().catch(stop)
  return { socket, stop }

  async function tryInTurn(): Promise<void> {
    for await (const address of addresses) {
      if (isOver) return
      tryAddress(address)
      await untilFailureOrDelay()
    }
    areAllTried = true
    stopIfAllFailed()
  }

  function tryAddress(address: string): void {
    const trying = connect({ host: address, port, noDelay: true })
    connecting.add(trying)
    trying.on('error', failed)
    trying.once('connect', () => {
      connecting.delete(trying)
      trying.off('error', failed)
      end()
      succeed(trying)
    })

    function failed(error: Error): void {
      connecting.delete(trying)
      failures.push(error)
      goOn()
      stopIfAllFailed()
    }
  }

  function untilFailureOrDelay(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ATTEMPT_DELAY_MS)
      goOn = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function stopIfAllFailed(): void {
    if (!areAllTried || connecting.size > 0) return
    stop(failures.find(({ code = '' }) => !NO_ROUTE.has(code)) ?? failures[0])
  }

  function stop(error: unknown): void {
    if (isOver) return
    end()
    reject(error)
  }

  function end(): void {
    isOver = true
    clearTimeout(deadline)
    goOn()
    for (const each of connecting) each.destroy()
  }
}

function timedOut(): Error {
  return Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' })
}
