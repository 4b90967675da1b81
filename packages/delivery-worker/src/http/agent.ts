import { createSecureContext, rootCertificates, type SecureContext, TLSSocket } from 'node:tls'
import type { AddressGuard, Certificates, EgressProxy } from '@quickquote/core/internal'
import { Agent, buildConnector } from 'undici'
import { remember } from '../lib/remember.ts'
import { boundAnswers } from './bounded-answers.ts'
import { checkedLookup, createResolve, type Resolve } from './checked-lookup.ts'
import { createProxyTunnel, throughProxy } from './proxy-tunnel.ts'

/** How long idle sockets stay open: endpoints of a busy host are called again sooner. */
const KEEP_ALIVE_MS = 30_000

/** The number of cached TLS sessions. They shorten the next handshake. */
const TLS_SESSIONS = 10_000

/** The sockets for webhooks. */
export interface Sockets {
  readonly dispatch: Agent['dispatch']
  close(): Promise<void>
}

export interface SocketOptions {
  readonly guard: AddressGuard
  /** Milliseconds for everything: name, connection, TLS, request, headers, body. */
  readonly timeoutMs: number
  /** Raw bytes of a response to read: status lines, informational responses, headers, chunk extensions, body, trailers. */
  readonly maxRawResponseBytes: number
  /** Trusted in addition to the public certificates. */
  readonly ca?: Certificates | undefined
  /** null: none. */
  readonly proxy: EgressProxy | null
  /** Default: the name servers of this machine. */
  readonly resolve?: Resolve
}

/** Certificates are always verified, whatever the environment says. */
export function createAgent(options: SocketOptions): Sockets {
  const { timeoutMs, maxRawResponseBytes, proxy, resolve = createResolve() } = options
  const secureContext = trust(options.ca)
  const lookup = checkedLookup(options.guard, resolve)
  const connect = buildConnector({
    lookup,
    timeout: timeoutMs,
    rejectUnauthorized: true,
    secureContext,
    maxCachedSessions: TLS_SESSIONS,
  })
  // Half of the timeout, to distinguish a hanging proxy from a hanging receiver.
  const tunnel = proxy && createProxyTunnel({ proxy, secureContext, timeoutMs: Math.ceil(timeoutMs / 2) })
  const agent = new Agent({
    connect: withEachSocket(
      tunnel ? throughProxy(connect, tunnel, proxy.resolves ? undefined : lookup) : connect,
      [sessionKeeper(), (socket) => boundAnswers(socket, maxRawResponseBytes)],
    ),
    maxHeaderSize: maxRawResponseBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One timer covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatch: (...request) => agent.dispatch(...request),
    close() {
      tunnel?.close()
      return agent.destroy()
    },
  }
}

/** Parsing the public certificates takes 20 ms, and a process mostly trusts the same ones: the last result is kept. */
let last: { readonly own: string; readonly trusted: SecureContext } | undefined

/** Trusts the public certificates, and these. */
export function trust(ca: Certificates | undefined): SecureContext {
  if (ca === undefined) return createSecureContext()
  const pems = [ca].flat().map(toPem)
  const own = pems.join('\n')
  if (last?.own !== own) {
    last = { own, trusted: createSecureContext({ ca: [...rootCertificates, ...pems] }) }
  }
  return last.trusted
}

type OnConnected = (socket: TLSSocket, hostname: string) => void

function withEachSocket(
  connect: buildConnector.connector,
  listeners: readonly OnConnected[],
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      const [, socket] = result
      if (socket instanceof TLSSocket) for (const listener of listeners) listener(socket, options.hostname)
      callback(...result)
    })
  }
}

/** undici keeps sessions only until the next garbage collection, unless something else references them. */
function sessionKeeper(): OnConnected {
  const sessions = new Map<string, Buffer>()
  return (socket, hostname) => {
    socket.on('session', (session: Buffer) => remember(sessions, hostname, session, TLS_SESSIONS))
  }
}

function toPem(certificate: string | Uint8Array): string | Buffer {
  return typeof certificate === 'string' ? certificate : Buffer.from(certificate)
}
