/** What the owner of an endpoint is told about a request that got no answer. Never a URL, a header or a body. */
export function describeTransportError(error: unknown): string {
  const { name, code, syscall, message } = faultOf(error)
  if (/^(query|getaddrinfo)/.test(syscall)) {
    return NAME_ERRORS[code] ?? 'the host name could not be resolved'
  }
  const known = CONNECTION_ERRORS[code]
  if (known !== undefined) return known
  if (isCertificateError(code)) return `certificate: ${CERTIFICATE_ERRORS[code] ?? withoutDetails(message)}`
  if (/^(ERR_SSL|EPROTO)/.test(code)) return 'the TLS handshake failed'
  if (name === 'HTTPParserError') return 'the answer is not HTTP'
  return 'the request failed'
}

const NAME_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
}

const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the network cannot be reached',
  ETIMEDOUT: 'connecting timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
}

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is not for this host name',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT: 'the chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer is not trusted',
}

/** The codes of OpenSSL's verification (`CERT_…`, `CRL_…`, `UNABLE_TO_…`), and Node's own for the host name. */
function isCertificateError(code: string): boolean {
  return code in CERTIFICATE_ERRORS || /^(CERT_|CRL_|UNABLE_TO_|INVALID_|HOSTNAME_MISMATCH)/.test(code)
}

/** OpenSSL's own words say nothing of the certificate's contents; Node appends hints after a semicolon. */
function withoutDetails(message: string): string {
  return message.split(/[;:\n]/, 1)[0] ?? ''
}

interface Fault {
  readonly name: string
  readonly code: string
  readonly syscall: string
  readonly message: string
}

/** When every address of a host failed, Node wraps the failures: the first one speaks for all. */
function faultOf(error: unknown): Fault {
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0])
  if (!(error instanceof Error)) return { name: '', code: '', syscall: '', message: '' }
  const { name, message, code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  return { name, code: String(code ?? ''), syscall: String(syscall ?? ''), message }
}
