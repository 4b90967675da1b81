import type { Certificates, EgressProxy } from '@quickquote/core/internal'
import { createProxyTunnel, ProxyError } from '../http/proxy-tunnel.ts'
import { trust } from '../http/trust.ts'
import { type Finding, finding } from './finding.ts'

const PATIENCE_MS = 10_000

/** A name that never exists (RFC 2606): the proxy checks the credentials first, and no server is called. */
const NOWHERE = 'quickquote.invalid'

/** Asks the proxy for a connection that it cannot open. Its error shows whether it would connect a webhook. */
export async function checkProxy(proxy: EgressProxy, ca: Certificates | undefined): Promise<Finding> {
  const tunnel = createProxyTunnel({ proxy, secureContext: trust(ca), timeoutMs: PATIENCE_MS })
  try {
    const socket = await tunnel.open(NOWHERE, 443)
    socket.destroy()
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error
    const { code } = error.failure
    if (code === 'proxy_credentials') return finding('PROXY_CREDENTIALS')
    if (code !== 'proxy_refused' && code !== 'proxy_failed') {
      return finding('PROXY_UNREACHABLE', { cause: code })
    }
  }
  return finding('PROXY_ANSWERS')
}
