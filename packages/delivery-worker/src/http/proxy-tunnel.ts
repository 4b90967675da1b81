import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { context } from '@opentelemetry/api'
import {
  type DeliveryFailure,
  type DeliveryFailureCode,
  deliveryFailure,
  type EgressProxy,
} from '@quickquote/core/internal'
import { UNINSTRUMENTED } from '../telemetry/telemetry.ts'
import { addressesInTurn, type CheckedLookup } from './checked-lookup.ts'
import type { Open } from './dial.ts'
import { describeTransportError } from './transport-error.ts'

/** No tunnel could be opened. The message says that the proxy is the cause and what to do, without its name or credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly failure: DeliveryFailure

  constructor(code: Extract<DeliveryFailureCode, `proxy_${string}`>, detail?: string | number) {
    const failure = deliveryFailure(code, detail)
    super(failure.error)
    this.failure = failure
  }
}

/** Connections through a proxy. */
export interface ProxyTunnel {
  /**
   * A connection to this address or, if the proxy resolves names, to this name.
   * @throws ProxyError
   */
  open(host: string, port: number): Promise<Socket>
  /** Aborts connections being opened. */
  close(): void
}

/** @param options.timeoutMs for connecting to the proxy, the TLS handshake and its response together */
export function createProxyTunnel({
  proxy,
  secureContext,
  timeoutMs,
}: {
  proxy: EgressProxy
  secureContext: SecureContext
  timeoutMs: number
}): ProxyTunnel {
  const opening = new Set<ClientRequest>()

  function ask(authority: string): ClientRequest {
    const options: RequestOptions & { secureContext: SecureContext; rejectUnauthorized: boolean } = {
      method: 'CONNECT',
      host: proxy.hostname,
      port: proxy.port,
      path: authority,
      headers: {
        Host: authority,
        ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization.reveal() }),
      },
      // Not one of the process's pools.
      agent: false,
      secureContext,
      rejectUnauthorized: true,
    }
    return context.with(UNINSTRUMENTED, () => (proxy.isSecure ? httpsRequest : httpRequest)(options))
  }

  return {
    open: (host, port) =>
      new Promise((resolve, reject) => {
        const request = ask(`${host.includes(':') ? `[${host}]` : host}:${port}`)
        opening.add(request)
        const timer = setTimeout(() => {
          request.destroy(new ProxyError('proxy_timeout', timeoutMs))
        }, timeoutMs)
        request.on('close', () => {
          clearTimeout(timer)
          opening.delete(request)
        })
        request.on('error', (error) => reject(error instanceof ProxyError ? error : toProxyError(error)))
        request.on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
          const refusal = refusalOf(statusCode)
          if (refusal !== undefined) {
            socket.on('error', () => {}).destroy()
            return reject(refusal)
          }
          if (head.length > 0) socket.unshift(head)
          resolve(socket)
        })
        request.end()
      }),
    close() {
      for (const request of opening) request.destroy()
    },
  }
}

/**
 * Opens connections through the proxy.
 * @param lookup finds the addresses to request from the proxy, one after another; without it, the proxy gets the name
 */
export function throughProxy(tunnel: ProxyTunnel, lookup: CheckedLookup | undefined): Open {
  return async (hostname, port) => {
    const hosts = lookup && isIP(hostname) === 0 ? addressesInTurn(lookup(hostname)) : [hostname]
    let failure: unknown
    for await (const host of hosts) {
      try {
        return await tunnel.open(host, port)
      } catch (error) {
        failure ??= error
        // Other failures would repeat for every address.
        if (!(error instanceof ProxyError && error.failure.code === 'proxy_failed')) break
      }
    }
    throw failure
  }
}

function toProxyError(error: NodeJS.ErrnoException): ProxyError {
  if (error.code?.startsWith('HPE_')) return new ProxyError('proxy_not_http')
  return new ProxyError('proxy_unreachable', describeTransportError(error).error)
}

function refusalOf(status: number): ProxyError | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 407) return new ProxyError('proxy_credentials')
  return new ProxyError(status >= 500 ? 'proxy_failed' : 'proxy_refused', status)
}
