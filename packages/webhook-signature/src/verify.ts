import { headerNames } from './header-names.ts'
import type { WebhookPayload } from './payload.ts'
import { bodyBytes, type RawBody, signedContent } from './raw-body.ts'
import { parseSignatureHeader } from './signature-header.ts'
import { type Secret, secretList, signingKey } from './signing-key.ts'
import { isTimestamp } from './timestamp.ts'
import { WebhookVerificationError } from './verification-error.ts'
import { type HeaderValue, headerOf, joined, type WebhookHeaders } from './webhook-headers.ts'

export type VerifyOptions = {
  /** The request body as it came, before anything parsed it. */
  readonly body: RawBody
  /** The endpoint's signing secret. Several while a rotation is under way: one that fits is enough. */
  readonly secrets: Secret | readonly Secret[]
  /** How far the timestamp may be from the receiver's clock, either way, in seconds. Default 300. */
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
      /** The value of the signature header; a list with the one for the previous secret, if that came too. */
      readonly signature: HeaderValue
      /** The value of the timestamp header. */
      readonly timestamp: HeaderValue
    }
)

/**
 * Verifies a delivery and returns its payload (specification, "Receiver verification rules" 1 to 3).
 *
 * While the rotation of a secret overlaps, deliveries carry a second header with a signature by the secret before. It
 * counts like the first, so that a receiver may take its time to learn the new secret.
 *
 * It does not deduplicate (rule 4): deliveries are at-least-once, so remember the `id` of the payload. Trust the payload
 * alone: the event id and type headers are not signed.
 *
 * @throws WebhookVerificationError when the delivery must not be trusted; see its `code`.
 * @throws TypeError when the receiver is set up wrong: no secret, an empty one, an impossible header prefix.
 */
export async function verify(options: VerifyOptions): Promise<WebhookPayload> {
  const secrets = secretList(options.secrets)
  const body = bodyBytes(options.body)
  if (body === undefined) {
    throw new WebhookVerificationError(
      'BODY_NOT_RAW',
      'The body is not raw: a string or bytes are needed, as they came. The signature covers the bytes, and a body ' +
        'that was parsed cannot be turned into them again. Read the raw body before a JSON parser does.',
    )
  }
  const { signature, timestamp } = signedHeaders(options)
  assertTimely(timestamp, options.tolerance ?? 300, options.now ?? new Date())
  const content = signedContent(timestamp, body)
  const bodyStart = content.byteLength - body.byteLength
  await assertSigned(parseSignatureHeader(signature), secrets, content)
  // The verified copy, not the caller's buffer: some servers reuse theirs as soon as they get the thread back.
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
      'The timestamp header is not a Unix time in whole seconds',
    )
  }
  const distance = Math.abs(now.getTime() / 1000 - Number(timestamp))
  // Written so that a tolerance or a clock that is not a number refuses.
  if (!(distance <= tolerance)) {
    throw new WebhookVerificationError(
      'TIMESTAMP_OUT_OF_TOLERANCE',
      `The delivery was signed ${Math.round(distance)} s away from the receiver's clock; ${tolerance} s are tolerated`,
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
    'No signature fits: the secret is another one, or the timestamp or the body was changed on the way',
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

/** The envelope. What is in `data` is up to the sender, who has proven who it is. */
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
    'The signature is right, but the body is not the JSON of an event',
  )
}
