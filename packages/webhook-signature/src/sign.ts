import { bodyBytes, type RawBody, signedContent } from './raw-body.ts'
import { type Secret, type Signer, signingKey } from './signing-key.ts'
import { isTimestamp } from './timestamp.ts'

/**
 * The value of the signature header: `v1=` and the lowercase hex HMAC-SHA256 over the timestamp, a dot, and the body
 * (specification, "Delivery headers").
 *
 * @param options.timestamp Unix time in whole seconds, the same that goes into the timestamp header.
 * @param options.body Exactly what is sent.
 * @throws TypeError when the secret is empty, the timestamp is not in whole seconds, or the body is not raw.
 */
export async function sign(options: {
  secret: Secret | Signer
  timestamp: number
  body: RawBody
}): Promise<string> {
  const timestamp = String(options.timestamp)
  if (!isTimestamp(timestamp)) throw new TypeError('A timestamp is a Unix time in whole seconds')
  const body = bodyBytes(options.body)
  if (body === undefined) throw new TypeError('A body to sign is a string or bytes')

  const key = await signingKey(options.secret)
  return `v1=${hex(await key.mac(signedContent(timestamp, body)))}`
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}
