import type { Attempt } from '../api/types.ts'
import { knownText } from '../i18n/api-text.ts'
import type { Detail } from '../i18n/de.ts'
import type { TextKey } from '../i18n/en.ts'
import type { Formatter } from '../i18n/format.ts'

interface Texts {
  t(key: TextKey, values?: Readonly<Record<string, string>>): string
}
type Failure = Pick<Attempt, 'http_status' | 'error'>
type Advice = Extract<TextKey, `advice.${string}`>

/** What to do about failures without a response, by their codes. */
const BY_CODE: Readonly<Record<string, Advice>> = {
  timeout: 'advice.timeout',
  connect_timeout: 'advice.connect',
  unreachable: 'advice.connect',
  connection_refused: 'advice.refused',
  connection_reset: 'advice.closed',
  connection_closed: 'advice.closed',
  response_incomplete: 'advice.closed',
  dns_not_found: 'advice.dns',
  dns_no_address: 'advice.dns',
  dns_failed: 'advice.dns',
  certificate: 'advice.certificate',
  tls: 'advice.tls',
  not_http: 'advice.http',
  contradictory_lengths: 'advice.http',
  headers_too_large: 'advice.http',
  address_blocked: 'advice.blocked',
}

/** What else to do about some of them, by the cause in the text. */
const BY_DETAIL: Readonly<Partial<Record<Detail, Advice>>> = {
  'self-signed certificate': 'advice.authority',
  'self-signed certificate in the chain': 'advice.authority',
  'the issuer is not trusted': 'advice.authority',
  'the chain is incomplete, or its issuer is a private one': 'advice.chain',
  ': the receiver requires a client certificate, which webhooks do not have': 'advice.client',
  ': the receiver has no cipher in common, or requires a client certificate': 'advice.client',
}

/** What to do about statuses that say it; others by their hundred. */
const BY_STATUS: Readonly<Record<number, Advice>> = {
  401: 'advice.unauthorized',
  403: 'advice.unauthorized',
  404: 'advice.missing',
  405: 'advice.missing',
  410: 'advice.gone',
  429: 'advice.busy',
  3: 'advice.redirect',
  4: 'advice.refuses',
  5: 'advice.server',
}

/** What to do about a failed attempt. */
export function adviceFor(
  { t, format }: Texts & { format: Pick<Formatter, 'duration'> },
  { http_status, error }: Failure,
): string {
  const known = causeOf(error)
  const status = http_status ?? 0
  const key =
    BY_STATUS[status] ??
    BY_STATUS[Math.floor(status / 100)] ??
    BY_DETAIL[(known?.detail ?? '') as Detail] ??
    BY_CODE[known?.code ?? ''] ??
    (status === 0 ? 'advice.service' : 'advice.closed')
  return t(key, { time: format.duration(Number(known?.detail ?? 0)) })
}

const SHORT: Readonly<Record<string, Extract<TextKey, `failure.${string}`>>> = {
  'advice.dns': 'failure.dns',
  'advice.certificate': 'failure.tls',
  'advice.tls': 'failure.tls',
  'advice.refused': 'failure.refused',
  'advice.timeout': 'failure.timeout',
}

/** Why there was no response, in a word or two. */
export function shortCause({ t }: Texts, error: string | null): string {
  const code = causeOf(error)?.code ?? ''
  return t(
    SHORT[code === 'connect_timeout' ? 'advice.timeout' : (BY_CODE[code] ?? '')] ?? 'deliveries.no-answer',
  )
}

function causeOf(error: string | null): { code: string; detail: string | undefined } | null {
  const known = error === null ? null : knownText('cause', error)
  return known && { code: known.key.slice('cause.'.length), detail: known.values['detail'] }
}
