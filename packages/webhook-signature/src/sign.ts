import { bodyBytes, type RawBody, signedContent } from './raw-body.ts'
import { type Secret, signingKey } from './signing-key.ts'
import { isTimestamp } from './timestamp.ts'

/**
 * The value of the signature header: `v1=` and the lowercase hex HMAC-SHA256 over the timestamp, a dot, and the body
 * (specification, "Delivery headers").
 *
 * @param options.timestamp Unix time in whole seconds, as in the timestamp header.
 * @param options.body The exact bytes to send.
 * @throws TypeError if the secret is missing, empty or surrounded by white space or quotes, the timestamp is not in
 * whole seconds, or the body is not raw.
 */
export async function sign(options: { secret: Secret; timestamp: number; body: RawBody }): Promise<string> {
  const timestamp = timestampText(options.timestamp)
  const body = bodyBytes(options.body)
  if (body === undefined) throw new TypeError('The body to sign must be a string or bytes')

  const key = await signingKey(options.secret)
  return `v1=${hex(await key.mac(signedContent(timestamp, body)))}`
}

/**
 * The same for text, synchronously, with the caller's own HMAC. For programs that send a lot: Node's
 * `createHmac('sha256', secret).update(content).digest('hex')` is faster than Web Crypto.
 *
 * @param options.hmac HMAC-SHA256 of the text in UTF-8, in lowercase hex. Its key is the whole secret, including
 * `whsec_`.
 * @param options.timestamp Unix time in whole seconds, as in the timestamp header.
 * @param options.body The exact bytes to send.
 * @throws TypeError if the timestamp is not in whole seconds.
 */
export function signWith(options: {
  hmac: (content: string) => string
  timestamp: number
  body: string
}): string {
  return `v1=${options.hmac(`${timestampText(options.timestamp)}.${options.body}`)}`
}

function timestampText(timestamp: number): string {
  const text = String(timestamp)
  if (!isTimestamp(text)) throw new TypeError('The timestamp must be a Unix time in whole seconds')
  return text
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}
