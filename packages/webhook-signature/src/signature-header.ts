import { WebhookVerificationError } from './verification-error.ts'

// Each costs an HMAC over the body for each secret, and a stranger may send as many as fit into a header.
const MAX_SIGNATURES = 5

/**
 * The `v1` signatures of a signature header: comma-separated `version=value` pairs.
 *
 * There may be several, for a sender that signs with an old and a new secret at once. Versions to come (`v2=…`) are skipped,
 * so that they can be introduced beside `v1`; they never stand in for it.
 *
 * @throws WebhookVerificationError MALFORMED_SIGNATURE when any part is malformed, or when there are more than five;
 * UNSUPPORTED_SIGNATURE_VERSION when no part is `v1`.
 */
export function parseSignatureHeader(header: string): ArrayBuffer[] {
  const parts = header.split(',').map((part) => /^[ \t]*v([1-9]\d{0,2})=([!-~]*)[ \t]*$/.exec(part))
  const signatures: ArrayBuffer[] = []
  for (const part of parts) {
    if (part === null) throw malformed('it is not a list of "version=value" pairs')
    const [, version, value = ''] = part
    if (version !== '1') continue
    if (!/^[0-9a-f]{64}$/.test(value)) throw malformed('"v1=" is not followed by 64 lowercase hex digits')
    signatures.push(fromHex(value))
  }
  if (signatures.length > MAX_SIGNATURES) throw malformed(`it holds more than ${MAX_SIGNATURES} signatures`)
  if (signatures.length === 0) {
    throw new WebhookVerificationError(
      'UNSUPPORTED_SIGNATURE_VERSION',
      'The signature header holds no signature of version v1',
    )
  }
  return signatures
}

function fromHex(digits: string): ArrayBuffer {
  const pairs = digits.match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)).buffer
}

function malformed(why: string): WebhookVerificationError {
  return new WebhookVerificationError('MALFORMED_SIGNATURE', `The signature header is malformed: ${why}`)
}
