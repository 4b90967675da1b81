import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { AddressGuard, Certificates, EgressProxy } from '@quickquote/core/internal'
import { buildConnector } from 'undici'
import { remember } from '../lib/remember.ts'
import { addressesInTurn, checkedLookup, createResolve, type Resolve } from './checked-lookup.ts'
import { dial, type Open } from './dial.ts'
import { createProxyTunnel, throughProxy } from './proxy-tunnel.ts'
import { trust } from './trust.ts'

/** The number of cached TLS sessions. They shorten the next handshake. */
const TLS_SESSIONS = 10_000

const HTTPS_PORT = 443

/** Added to the timeout, so that the request's own timer fires first: its error states the whole timeout. */
const LATER_MS = 500

export interface ConnectOptions {
  readonly guard: AddressGuard
  /** Milliseconds for everything: name, connection, TLS, request, headers, body. */
  readonly timeoutMs: number
  /** Trusted in addition to the public certificates. */
  readonly ca?: Certificates | undefined
  /** null: none. */
  readonly proxy: EgressProxy | null
  /** Default: the name servers of this machine. */
  readonly resolve?: Resolve
}

/** Opens TLS connections to receivers. */
export interface Connector {
  readonly connect: buildConnector.connector
  /** Aborts those being opened. */
  close(): void
}

/** Certificates are always verified, whatever the environment says. */
export function createConnector(options: ConnectOptions): Connector {
  const { timeoutMs, proxy, resolve = createResolve() } = options
  const secureContext = trust(options.ca)
  const lookup = checkedLookup(options.guard, resolve)
  // Half of the timeout, to distinguish a hanging proxy from a hanging receiver.
  const tunnel = proxy && createProxyTunnel({ proxy, secureContext, timeoutMs: Math.ceil(timeoutMs / 2) })
  const secure = buildConnector({
    timeout: timeoutMs + LATER_MS,
    rejectUnauthorized: true,
    secureContext,
    maxCachedSessions: TLS_SESSIONS,
    allowH2: false,
  })
  const keepSession = sessionKeeper()
  const opening = new Set<(error: Error) => void>()

  /** Literal addresses have been checked before. */
  async function openDirectly(hostname: string, port: number): Promise<Socket> {
    const family = isIP(hostname)
    const answers = family === 0 ? lookup(hostname) : [Promise.resolve([{ address: hostname, family }])]
    const { socket, stop } = dial(addressesInTurn(answers), port, timeoutMs + LATER_MS)
    opening.add(stop)
    try {
      return await socket
    } finally {
      opening.delete(stop)
    }
  }

  const open: Open = tunnel ? throughProxy(tunnel, proxy.resolves ? undefined : lookup) : openDirectly

  return {
    connect(target, callback) {
      open(target.hostname, Number(target.port || HTTPS_PORT)).then(
        (httpSocket) =>
          secure({ ...target, httpSocket }, (...result) => {
            const [, socket] = result
            if (socket instanceof TLSSocket) keepSession(socket, target.hostname)
            callback(...result)
          }),
        (error: Error) => callback(error, null),
      )
    },
    close() {
      tunnel?.close()
      for (const stop of opening) stop(new Error('closed'))
    },
  }
}

/** undici keeps sessions only until the next garbage collection, unless something else references them. */
function sessionKeeper(): (socket: TLSSocket, hostname: string) => void {
  const sessions = new Map<string, Buffer>()
  return (socket, hostname) => {
    socket.on('session', (session: Buffer) => remember(sessions, hostname, session, TLS_SESSIONS))
  }
}
