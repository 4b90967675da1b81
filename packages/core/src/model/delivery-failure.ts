type Failures = Readonly<
  Record<string, { readonly reason: 'timeout' | 'tls' | 'refused' | 'other'; readonly error: string }>
>

/**
 * Failures without a response, by their `error_code`: how statistics count them, and the text for the owner of the
 * endpoint. Attempts keep only the text, so statistics recognize it by its beginning, up to `{detail}`.
 */
export const DELIVERY_FAILURES = {
  timeout: { reason: 'timeout', error: 'timed out after {detail} ms' },
  connect_timeout: { reason: 'timeout', error: 'the connection timed out' },
  connection_refused: { reason: 'refused', error: 'connection refused' },
  connection_reset: { reason: 'other', error: 'connection reset' },
  connection_closed: { reason: 'other', error: 'the connection was closed before a response arrived' },
  unreachable: { reason: 'other', error: 'the {detail} is unreachable' },
  dns_not_found: { reason: 'other', error: 'the host name does not exist' },
  dns_no_address: { reason: 'other', error: 'the host name has no address' },
  dns_failed: { reason: 'other', error: 'the host name could not be resolved' },
  certificate: { reason: 'tls', error: 'certificate: {detail}' },
  tls: { reason: 'tls', error: 'the TLS handshake failed{detail}' },
  not_http: { reason: 'other', error: 'the response is not HTTP' },
  contradictory_lengths: {
    reason: 'other',
    error:
      'the length of the response is contradictory: send one `Content-Length`, or `Transfer-Encoding: chunked` without one',
  },
  response_incomplete: { reason: 'other', error: 'the response body is incomplete: {detail}' },
  headers_too_large: { reason: 'other', error: 'the response headers are too large' },
  request_failed: { reason: 'other', error: 'the request failed' },
  address_blocked: { reason: 'other', error: '{detail}' },
  worker_unable: {
    reason: 'other',
    error: "this service's worker cannot open connections: ask its operator to allow it ({detail})",
  },
  worker_stopped: { reason: 'other', error: 'the worker was stopped before a response arrived' },
  signing_failed: { reason: 'other', error: 'the webhook could not be signed' },
  proxy_unreachable: {
    reason: 'other',
    error:
      "the outgoing proxy cannot be reached ({detail}): ask this service's operator to check `egress.proxy`, and that the proxy is running",
  },
  proxy_credentials: {
    reason: 'other',
    error:
      'the outgoing proxy refused the credentials of this service (407): ask its operator to correct them in `egress.proxy`',
  },
  proxy_refused: {
    reason: 'other',
    error:
      "the outgoing proxy refused to connect to the receiver ({detail}): ask this service's operator to allow `CONNECT` to this address and port",
  },
  proxy_failed: {
    reason: 'other',
    error:
      "the outgoing proxy could not reach the receiver ({detail}): check that the receiver can be reached, and ask this service's operator to check the proxy",
  },
  proxy_timeout: {
    reason: 'timeout',
    error:
      "the outgoing proxy opened no connection within {detail} ms: check that the receiver can be reached, and ask this service's operator to check the proxy",
  },
  proxy_not_http: {
    reason: 'other',
    error:
      "the response of the outgoing proxy is not HTTP: ask this service's operator to correct `egress.proxy`",
  },
} as const satisfies Failures

/** What `{detail}` says, by causes of our own: workers find them by the codes of Node and OpenSSL. */
export const FAILURE_DETAILS = {
  certificate: {
    self_signed: 'self-signed certificate',
    self_signed_in_chain: 'self-signed certificate in the chain',
    issuer_not_trusted: 'the issuer is not trusted',
    issuer_unknown: 'the chain is incomplete, or its issuer is a private one',
    chain_incomplete: 'the chain is incomplete',
    other_host: 'it is for another host name',
    expired: 'it has expired',
    not_valid_yet: 'it is not valid yet',
    not_for_servers: 'it is not for servers (extended key usage)',
    weak_signature: 'it is signed with SHA-1 or MD5',
    weak_key: 'its key is too short',
  },
  tls: {
    client_certificate: ': the receiver requires a client certificate, which webhooks do not have',
    no_cipher: ': the receiver has no cipher in common, or requires a client certificate',
    old_version: ': the receiver does not support TLS 1.2 or 1.3',
    only_http2: ': the receiver does not support HTTP/1.1 (ALPN)',
    not_tls: ': the port does not speak TLS',
  },
  response_incomplete: {
    closed: 'the connection was closed before its end',
    contradiction: 'it is shorter or longer than its `Content-Length`',
  },
} as const satisfies Partial<Record<keyof typeof DELIVERY_FAILURES, Readonly<Record<string, string>>>>

export type DeliveryFailureCode = keyof typeof DELIVERY_FAILURES

/** A text of DELIVERY_FAILURES. No other is a failure, because statistics would not recognize it. */
type FailureText = string & { readonly [ofTable]: true }
declare const ofTable: unique symbol

/** `code` is a stable kind of failure; `error` is for people. */
export interface DeliveryFailure {
  readonly kind: 'error'
  readonly code: DeliveryFailureCode
  readonly error: FailureText
}

export function deliveryFailure(code: DeliveryFailureCode, detail: string | number = ''): DeliveryFailure {
  const error = DELIVERY_FAILURES[code].error.replace('{detail}', () => String(detail)) as FailureText
  return { kind: 'error', code, error }
}
