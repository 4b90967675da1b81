/** The reasons for refusing a delivery. The codes are stable. */
export const WEBHOOK_VERIFICATION_ERROR_CODES = [
  'BODY_NOT_RAW',
  'MISSING_HEADER',
  'MALFORMED_TIMESTAMP',
  'TIMESTAMP_OUT_OF_TOLERANCE',
  'MALFORMED_SIGNATURE',
  'UNSUPPORTED_SIGNATURE_VERSION',
  'SIGNATURE_MISMATCH',
  'MALFORMED_BODY',
] as const

export type WebhookVerificationErrorCode = (typeof WEBHOOK_VERIFICATION_ERROR_CODES)[number]

/** A delivery that cannot be trusted. The message contains neither the secret nor the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
