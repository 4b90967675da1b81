import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, TLSSocket } from 'node:tls'
import type { Certificates, EgressProxy } from '@quickquote/core/internal'
import { Agent, buildConnector } from 'undici'
import { remember } from '../lib/remember.ts'
import { boundAnswers } from './bounded-answers.ts'
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

/** Certificates are always verified, whatever the environment says. */
export function createAgent({
  lookup,
  connectTimeoutMs,
  maxAnswerBytes,
  ca,
  proxy,
}: {
  lookup: LookupFunction
  connectTimeoutMs: number
  maxAnswerBytes: number
  ca: Certificates | undefined
  proxy: EgressProxy | null
}): Sockets {
  const secureContext = trust(ca)
  const connect = buildConnector({
    lookup,
    timeout: connectTimeoutMs,
    rejectUnauthorized: true,
    secureContext,
    maxCachedSessions: TLS_SESSIONS,
  })
  // Half of the timeout, to distinguish a hanging proxy from a hanging receiver.
  const timeoutMs = Math.ceil(connectTimeoutMs / 2)
  const tunnel = proxy && createProxyTunnel({ proxy, secureContext, timeoutMs })
  const agent = new Agent({
    connect: withEachSocket(
      tunnel ? throughProxy(connect, tunnel, proxy.resolves ? undefined : lookup) : connect,
      [sessionKeeper(), (socket) => boundAnswers(socket, maxAnswerBytes)],
    ),
    maxHeaderSize: maxAnswerBytes,
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
