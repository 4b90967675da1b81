export type { TestAttempt } from './attempt.ts'
export { type Certificate, createCertificate } from './certificate.ts'
export { type Clock, createClock, type Duration } from './clock.ts'
export { createTestKit, type TestKit, type TestKitOptions } from './kit.ts'
export type { Partner, PartnerOptions } from './partner.ts'
export type { TestQuote } from './quote.ts'
export type { HostApp } from './quote-start.ts'
export {
  type ReceivedWebhook,
  type Receiver,
  type ReceiverOptions,
  type ReceiverResponse,
  startReceiver,
} from './receiver.ts'
