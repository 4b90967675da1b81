import { WebhookVerificationError } from './verification-error.ts'

// Each costs an HMAC over the body per secret, and anyone can send as many as fit in a header.
const MAX_SIGNATURES = 5

/**
 * The `v1` signatures of a signature header: comma-separated `version=value` pairs.
 *
 * There may be several, if the sender signs with an old and a new secret. Future versions (`v2=…`) are skipped, so that
 * they can be added alongside `v1`; they never replace it.
 *
 * @throws WebhookVerificationError MALFORMED_SIGNATURE if any part is malformed, or if there are more than five;
 * UNSUPPORTED_SIGNATURE_VERSION if no part is `v1`.
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
  if (signatures.length > MAX_SIGNATURES)
    throw malformed(`it contains more than ${MAX_SIGNATURES} signatures`)
  if (signatures.length === 0) {
    throw new WebhookVerificationError(
      'UNSUPPORTED_SIGNATURE_VERSION',
      'The signature header contains no signature of version v1',
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
