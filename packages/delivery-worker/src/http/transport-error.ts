import { type DeliveryFailure, deliveryFailure } from '@quickquote/core/internal'

/** Never contains a URL, a header or a body. */
export function describeTransportError(error: unknown): DeliveryFailure {
  const { name, code, syscall, message } = faultOf(error)
  if (/^(query|getaddrinfo)/.test(syscall)) {
    return NAME_ERRORS[code] ?? deliveryFailure('dns_failed')
  }
  const known = CONNECTION_ERRORS[code]
  if (known !== undefined) return known
  if (isCertificateError(code)) {
    return deliveryFailure('certificate', CERTIFICATE_ERRORS[code] ?? withoutDetails(message))
  }
  if (/^(ERR_SSL|EPROTO)/.test(code)) return deliveryFailure('tls')
  if (name === 'HTTPParserError') return deliveryFailure('not_http')
  return deliveryFailure('request_failed')
}

const NAME_ERRORS: Readonly<Record<string, DeliveryFailure>> = {
  ENOTFOUND: deliveryFailure('dns_not_found'),
  ENODATA: deliveryFailure('dns_no_address'),
}

const RESET = deliveryFailure('connection_reset')
const UNREACHABLE = deliveryFailure('unreachable', 'network')
const CONNECT_TIMEOUT = deliveryFailure('connect_timeout')

const CONNECTION_ERRORS: Readonly<Record<string, DeliveryFailure>> = {
  ECONNREFUSED: deliveryFailure('connection_refused'),
  ECONNRESET: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: deliveryFailure('connection_closed'),
  EHOSTUNREACH: deliveryFailure('unreachable', 'host'),
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: CONNECT_TIMEOUT,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  ANSWER_TOO_LONG: deliveryFailure('headers_too_large'),
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
