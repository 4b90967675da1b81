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
  const timestamp = String(options.timestamp)
  if (!isTimestamp(timestamp)) throw new TypeError('A timestamp is a Unix time in whole seconds')
  const body = bodyBytes(options.body)
  if (body === undefined) throw new TypeError('A body to sign is a string or bytes')

  const key = await signingKey(options.secret)
  return `v1=${hex(await key.mac(signedContent(timestamp, body)))}`
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
