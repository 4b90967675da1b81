export { headerNames, type WebhookHeaderNames } from './header-names.ts'
export type { QuotationEventType, WebhookPayload } from './payload.ts'
export type { RawBody } from './raw-body.ts'
export { sign } from './sign.ts'
export { importSecret, type Secret, type SigningKey } from './signing-key.ts'
export {
  WEBHOOK_VERIFICATION_ERROR_CODES,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './verification-error.ts'
export { type VerifyOptions, verify, type WebhookHeaders } from './verify.ts'
