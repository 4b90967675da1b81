import { headerNames } from './header-names.ts'
import type { WebhookPayload } from './payload.ts'
import { bodyBytes, type RawBody, signedContent } from './raw-body.ts'
import { parseSignatureHeader } from './signature-header.ts'
import { type Secret, secretList, signingKey } from './signing-key.ts'
import { isTimestamp } from './timestamp.ts'
import { WebhookVerificationError } from './verification-error.ts'
import { type HeaderValue, headerOf, joined, type WebhookHeaders } from './webhook-headers.ts'

export type VerifyOptions = {
  /** The raw request body, before any parsing. */
  readonly body: RawBody
  /** The endpoint's signing secret, or several during a rotation: one match is enough. undefined is a TypeError. */
  readonly secrets: Secret | readonly Secret[] | undefined
  /** The accepted difference between the timestamp and the receiver's clock, in seconds, either way. Default 300. */
  readonly tolerance?: number
  /** The receiver's clock. Default: now. */
  readonly now?: Date
} & (
  | {
      readonly headers: WebhookHeaders
      /** The product name of the sender: `Acme` for `X-Acme-Signature`. Default `Service`. */
      readonly headerPrefix?: string
    }
  | {
      /** The signature header; a list if the one for previous secrets was sent, too. */
      readonly signature: HeaderValue
      /** The timestamp header. */
      readonly timestamp: HeaderValue
    }
)

/**
 * Verifies a delivery and returns its payload (specification, "Receiver verification rules" 1 to 3).
 *
 * During the overlap of a rotation, deliveries carry a second signature header, with a signature for each previous secret
 * (at most three, newest first). One match is enough, so the receiver does not have to switch to the new secret at once.
 *
 * It does not deduplicate (rule 4): delivery is at-least-once, so remember the `id` of the payload. Trust only the
 * payload: the headers with the event id and type are not signed.
 *
 * @throws WebhookVerificationError if the delivery cannot be trusted; see its `code`.
 * @throws TypeError if the receiver is misconfigured: no secret, an empty one, one with white space or quotes around it,
 * or an invalid header prefix.
 */
export async function verify(options: VerifyOptions): Promise<WebhookPayload> {
  const secrets = secretList(options.secrets)
  const body = bodyBytes(options.body)
  if (body === undefined) {
    throw new WebhookVerificationError(
      'BODY_NOT_RAW',
      'The body must be the raw string or bytes of the request. The signature covers these exact bytes, ' +
        'so a parsed body cannot be verified. Read the raw body before a JSON parser does.',
    )
  }
  const { signature, timestamp } = signedHeaders(options)
  assertTimely(timestamp, options.tolerance ?? 300, options.now ?? new Date())
  const content = signedContent(timestamp, body)
  const bodyStart = content.byteLength - body.byteLength
  await assertSigned(parseSignatureHeader(signature), secrets, content)
  // The verified copy: some servers reuse the caller's buffer as soon as they run again.
  return parsePayload(new Uint8Array(content, bodyStart))
}

function signedHeaders(options: VerifyOptions): { signature: string; timestamp: string } {
  if (!('headers' in options)) {
    return {
      timestamp: required(options.timestamp, 'timestamp'),
      signature: required(options.signature, 'signature'),
    }
  }
  const { headers, headerPrefix } = options
  const names = headerNames(headerPrefix)
  const timestamp = required(headerOf(headers, names.timestamp), names.timestamp)
  const signature = required(headerOf(headers, names.signature), names.signature)
  const previous = headerOf(headers, names.previousSignature)
  return { timestamp, signature: previous === '' ? signature : `${signature}, ${previous}` }
}

function required(value: HeaderValue, name: string): string {
  const text = joined(value)
  if (text === '') throw new WebhookVerificationError('MISSING_HEADER', `The header ${name} is missing`)
  return text
}

function assertTimely(timestamp: string, tolerance: number, now: Date): void {
  if (!isTimestamp(timestamp)) {
    throw new WebhookVerificationError(
      'MALFORMED_TIMESTAMP',
      'The timestamp header must be a Unix time in whole seconds',
    )
  }
  const distance = Math.abs(now.getTime() / 1000 - Number(timestamp))
  // Negated so that a NaN tolerance or clock is refused.
  if (!(distance <= tolerance)) {
    throw new WebhookVerificationError(
      'TIMESTAMP_OUT_OF_TOLERANCE',
      `The delivery was signed ${Math.round(distance)} s away from the receiver's clock; the tolerance is ${tolerance} s`,
    )
  }
}

async function assertSigned(
  signatures: readonly ArrayBuffer[],
  secrets: readonly Secret[],
  content: ArrayBuffer,
): Promise<void> {
  for (const secret of secrets) {
    const key = await signingKey(secret)
    for (const signature of signatures) {
      if (await key.matches(signature, content)) return
    }
  }
  throw new WebhookVerificationError(
    'SIGNATURE_MISMATCH',
    'No signature matches: the secret is wrong, or the timestamp or the body was changed in transit',
  )
}

function parsePayload(body: Uint8Array): WebhookPayload {
  let payload: unknown
  try {
    payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw malformedBody()
  }
  if (!isPayload(payload)) throw malformedBody()
  return payload
}

/** Checks the envelope. `data` is up to the sender, which is authenticated. */
function isPayload(value: unknown): value is WebhookPayload {
  return (
    isObject(value) &&
    ['id', 'type', 'created_at', 'organization_id'].every((field) => typeof value[field] === 'string') &&
    isObject(value['data'])
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformedBody(): WebhookVerificationError {
  return new WebhookVerificationError(
    'MALFORMED_BODY',
    'The signature is valid, but the body is not the JSON of an event',
  )
}
