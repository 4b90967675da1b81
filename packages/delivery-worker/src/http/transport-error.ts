import { type DeliveryFailure, deliveryFailure, FAILURE_DETAILS } from '@quickquote/core/internal'

const { certificate: CERTIFICATE, tls: TLS } = FAILURE_DETAILS

/** Never contains a URL, a header or a body. */
export function describeTransportError(error: unknown): DeliveryFailure {
  const { name, code, syscall, message } = faultOf(error)
  if (/^(query|getaddrinfo)/.test(syscall)) {
    return NAME_ERRORS[code] ?? deliveryFailure('dns_failed')
  }
  const known = CONNECTION_ERRORS[code]
  if (known !== undefined) return known
  if (isCertificateError(code)) {
    return deliveryFailure(
      'certificate',
      CERTIFICATE_ERRORS[code === UNNAMED ? message : code] ?? withoutDetails(message),
    )
  }
  if (/^(ERR_SSL|EPROTO)/.test(code)) return deliveryFailure('tls', handshakeCause(code))
  if (name === 'HTTPParserError') return deliveryFailure('not_http')
  // Node's own sentence says what is missing: the HTTP parser is WebAssembly, and `--permission` may forbid connections.
  if (code === 'ERR_ACCESS_DENIED' || /WebAssembly/.test(message))
    return deliveryFailure('worker_unable', message)
  return deliveryFailure('request_failed')
}

/** By the alert or error of OpenSSL, whose names differ by its version. */
const HANDSHAKE_CAUSES: readonly (readonly [RegExp, string])[] = [
  [/CERTIFICATE_REQUIRED$/, TLS.client_certificate],
  [/ALERT_HANDSHAKE_FAILURE$/, TLS.no_cipher],
  [/PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/, TLS.old_version],
  [/NO_APPLICATION_PROTOCOL$/, TLS.only_http2],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|HTTP_REQUEST$/, TLS.not_tls],
]

function handshakeCause(code: string): string {
  const known = HANDSHAKE_CAUSES.find(([pattern]) => pattern.test(code))
  return known?.[1] ?? ''
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
  // Without a status: undici reads several lengths as one number.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: deliveryFailure('contradictory_lengths'),
}

/** Node has no code for the newer verification errors of OpenSSL, which are known by their messages. */
const UNNAMED = 'UNSPECIFIED'

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE.self_signed,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE.self_signed_in_chain,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE.other_host,
  CERT_HAS_EXPIRED: CERTIFICATE.expired,
  CERT_NOT_YET_VALID: CERTIFICATE.not_valid_yet,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE.issuer_unknown,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE.chain_incomplete,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE.issuer_not_trusted,
  INVALID_PURPOSE: CERTIFICATE.not_for_servers,
  'CA signature digest algorithm too weak': CERTIFICATE.weak_signature,
  'EE certificate key too weak': CERTIFICATE.weak_key,
}

/** OpenSSL's verification codes (`CERT_…`, `CRL_…`, `UNABLE_TO_…`), and Node's own for the host name. */
function isCertificateError(code: string): boolean {
  return (
    code in CERTIFICATE_ERRORS ||
    /^(CERT_|CRL_|UNABLE_TO_|INVALID_|HOSTNAME_MISMATCH|UNSPECIFIED$)/.test(code)
  )
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
