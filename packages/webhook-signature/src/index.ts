export { headerNames, type WebhookHeaderNames } from './header-names.ts'
export {
  isQuotationEvent,
  type OtherEvent,
  QUOTATION_EVENT_TYPES,
  type QuotationEvent,
  type QuotationEventType,
  type WebhookPayload,
} from './payload.ts'
export type { RawBody } from './raw-body.ts'
export type { ReceiverOptions } from './receiver.ts'
export { sign, signWith } from './sign.ts'
export { importSecret, type Secret, type SigningKey } from './signing-key.ts'
export {
  WEBHOOK_VERIFICATION_ERROR_CODES,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './verification-error.ts'
export { type VerifyOptions, verify } from './verify.ts'
export type { WebhookHeaders } from './webhook-headers.ts'
