import { bodyBytes, type RawBody, signedContent } from './raw-body.ts'
import { type Secret, signingKey } from './signing-key.ts'
import { isTimestamp } from './timestamp.ts'

/**
 * The value of the signature header: `v1=` and the lowercase hex HMAC-SHA256 over the timestamp, a dot, and the body
 * (specification, "Delivery headers").
 *
 * @param options.timestamp Unix time in whole seconds, the same that goes into the timestamp header.
 * @param options.body Exactly what is sent.
 * @throws TypeError when the secret is empty, the timestamp is not in whole seconds, or the body is not raw.
 */
export async function sign(options: { secret: Secret; timestamp: number; body: RawBody }): Promise<string> {
  const timestamp = timestampText(options.timestamp)
  const body = bodyBytes(options.body)
  if (body === undefined) throw new TypeError('A body to sign is a string or bytes')

  const key = await signingKey(options.secret)
  return `v1=${hex(await key.mac(signedContent(timestamp, body)))}`
}

/**
 * The same for a text, at once, with an HMAC that the caller brings: a program that sends much has a quicker one than Web
 * Crypto, such as `createHmac('sha256', secret).update(content).digest('hex')` of Node.
 *
 * @param options.hmac HMAC-SHA256 of the text in UTF-8, in lowercase hex. Its key is the whole secret, `whsec_` included.
 * @param options.timestamp Unix time in whole seconds, the same that goes into the timestamp header.
 * @param options.body Exactly what is sent.
 * @throws TypeError when the timestamp is not in whole seconds.
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
  if (!isTimestamp(text)) throw new TypeError('A timestamp is a Unix time in whole seconds')
  return text
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}
