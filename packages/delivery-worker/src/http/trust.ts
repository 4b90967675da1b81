import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { Certificates } from '@quickquote/core/internal'

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

function toPem(certificate: string | Uint8Array): string | Buffer {
  return typeof certificate === 'string' ? certificate : Buffer.from(certificate)
}
