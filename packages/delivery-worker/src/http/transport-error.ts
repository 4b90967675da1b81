import type { Outcome } from '@quickquote/core/internal'

/** A request without a response: the code for logs and metrics, and the message for the owner of the endpoint. */
type Failure = Omit<Extract<Outcome, { kind: 'error' }>, 'kind'>

/** Never contains a URL, a header or a body. */
export function describeTransportError(error: unknown): Failure {
  const { name, code, syscall, message } = faultOf(error)
  if (/^(query|getaddrinfo)/.test(syscall)) {
    return NAME_ERRORS[code] ?? { code: 'dns_failed', error: 'the host name could not be resolved' }
  }
  const known = CONNECTION_ERRORS[code]
  if (known !== undefined) return known
  if (isCertificateError(code)) {
    return {
      code: 'certificate',
      error: `certificate: ${CERTIFICATE_ERRORS[code] ?? withoutDetails(message)}`,
    }
  }
  if (/^(ERR_SSL|EPROTO)/.test(code)) return { code: 'tls', error: 'the TLS handshake failed' }
  if (name === 'HTTPParserError') return NOT_HTTP
  return { code: 'request_failed', error: 'the request failed' }
}

export const NOT_HTTP: Failure = { code: 'not_http', error: 'the response is not HTTP' }

const NAME_ERRORS: Readonly<Record<string, Failure>> = {
  ENOTFOUND: { code: 'dns_not_found', error: 'the host name does not exist' },
  ENODATA: { code: 'dns_no_address', error: 'the host name has no address' },
}

const RESET: Failure = { code: 'connection_reset', error: 'connection reset' }
const UNREACHABLE: Failure = { code: 'unreachable', error: 'the network is unreachable' }
const CONNECT_TIMEOUT: Failure = { code: 'connect_timeout', error: 'the connection timed out' }

const CONNECTION_ERRORS: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: { code: 'connection_refused', error: 'connection refused' },
  ECONNRESET: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: {
    code: 'connection_closed',
    error: 'the connection was closed before a response arrived',
  },
  EHOSTUNREACH: { code: 'unreachable', error: 'the host is unreachable' },
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: CONNECT_TIMEOUT,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  ANSWER_TOO_LONG: {
    code: 'headers_too_large',
    error: 'the response headers are too large',
  },
}

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host name',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT: 'the chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer is not trusted',
}

/** OpenSSL's verification codes (`CERT_…`, `CRL_…`, `UNABLE_TO_…`), and Node's own for the host name. */
function isCertificateError(code: string): boolean {
  return code in CERTIFICATE_ERRORS || /^(CERT_|CRL_|UNABLE_TO_|INVALID_|HOSTNAME_MISMATCH)/.test(code)
}

/** OpenSSL's messages reveal nothing of the certificate; Node appends hints after a semicolon. */
function withoutDetails(message: string): string {
  return message.split(/[;:\n]/, 1)[0] ?? ''
}

interface Fault {
  readonly name: string
  readonly code: string
  readonly syscall: string
  readonly message: string
}

/** If all addresses of a host fail, Node wraps the errors: the first one is reported. */
function faultOf(error: unknown): Fault {
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0])
  if (!(error instanceof Error)) return { name: '', code: '', syscall: '', message: '' }
  const { name, message, code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  return { name, code: String(code ?? ''), syscall: String(syscall ?? ''), message }
}
