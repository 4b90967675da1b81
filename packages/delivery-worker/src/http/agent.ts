import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates, TLSSocket } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { boundAnswers } from './bounded-answers.ts'

/** PEM certificates. */
export type Certificates = string | Uint8Array | readonly (string | Uint8Array)[]

/** Sockets stay open this long without use: the endpoints of a busy host are called again before that. */
const KEEP_ALIVE_MS = 30_000

/** Hosts whose TLS session is kept, to shorten the next handshake. */
const TLS_SESSIONS = 10_000

/** The sockets that webhooks are sent over. Certificates are verified, whatever the environment says. */
export function createAgent({
  lookup,
  connectTimeoutMs,
  maxAnswerBytes,
  ca,
}: {
  lookup: LookupFunction
  connectTimeoutMs: number
  maxAnswerBytes: number
  ca: Certificates | undefined
}): Agent {
  return new Agent({
    connect: withEachSocket(
      buildConnector({
        lookup,
        timeout: connectTimeoutMs,
        rejectUnauthorized: true,
        // Made once: parsing the public certificates takes longer than a handshake.
        secureContext: createSecureContext(
          ca === undefined ? {} : { ca: [...rootCertificates, ...[ca].flat()].map(toPem) },
        ),
        maxCachedSessions: TLS_SESSIONS,
      }),
      [sessionKeeper(), (socket) => boundAnswers(socket, maxAnswerBytes)],
    ),
    maxHeaderSize: maxAnswerBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One timer covers all of a request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
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

/** undici remembers sessions only until the next garbage collection, unless somebody else holds them. */
function sessionKeeper(): OnConnected {
  const sessions = new Map<string, Buffer>()
  return (socket, hostname) => {
    socket.on('session', (session: Buffer) => {
      // The oldest makes room: a map keeps its order.
      sessions.delete(hostname)
      sessions.set(hostname, session)
      if (sessions.size > TLS_SESSIONS) sessions.delete(sessions.keys().next().value ?? '')
    })
  }
}

function toPem(certificate: string | Uint8Array): string | Buffer {
  return typeof certificate === 'string' ? certificate : Buffer.from(certificate)
}
