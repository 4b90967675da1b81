/**
 * What our own packages share beyond `index.ts`: the ports of a storage (`storage/`), schemas for routes, and rules and
 * tools that more than one of them needs. Not for hosts: any release may change it.
 */
export type { Static, TObject, TSchema } from '@sinclair/typebox'
export type { UploadStorage } from './files/file-storage.ts'
export { createRequirementsFiles } from './files/requirements-file.ts'
export * from './index.ts'
export { checkIntegrations } from './integrations.ts'
export { type AddressGuard, addressGuard } from './lib/address-guard.ts'
export { answerInTime } from './lib/answer-in-time.ts'
export { CLOCK_WARN_MS, CLOCK_WRONG_MS, type Clock } from './lib/clock.ts'
export { validationFailed } from './lib/errors.ts'
export type { EncryptedSecret, Keyring } from './lib/keyring.ts'
export { lazily } from './lib/lazily.ts'
export { loggableError } from './lib/loggable-error.ts'
export { newId } from './lib/new-id.ts'
export {
  checkNumber,
  checkOptionNames,
  defaultsOf,
  givenOptions,
  hintAt,
  MAX_TIMER_MS,
  type NumberOption,
  type OptionTable,
} from './lib/option-check.ts'
export { isOutage } from './lib/outage.ts'
export { LONGEST_WAIT_SECONDS, type Position } from './lib/page.ts'
export { parseUrl } from './lib/parse-url.ts'
export { pick } from './lib/pick.ts'
export {
  DEFAULT_PROBLEM_TYPE_BASE,
  PROBLEM_MEDIA_TYPE,
  Problem,
  problemOf,
  problemType,
} from './lib/problem.ts'
export { Uuid } from './lib/schema.ts'
export { type Content, contentAnswer, contentOf, FIXED, fixedName } from './lib/static-content.ts'
export { isUuid, ownedBy } from './lib/tenancy.ts'
export { brandProblem, type Theme, type ThemeTokens, themeRule } from './lib/theme.ts'
export { optionalTimeOf } from './lib/timestamp.ts'
export { spanContextOf } from './lib/trace-context.ts'
export { trimEndOf } from './lib/trim-end.ts'
export { Type } from './lib/type.ts'
export { validate, validateUrlPart } from './lib/validator.ts'
export { version } from './lib/version.ts'
export {
  ApiKey,
  ApiKeyListQuery,
  type ApiKeyMove,
  type ApiKeyStatus,
  CreatedApiKey,
  createApiKeyBody,
  rollApiKeyBody,
  type StoredApiKeyStatus,
  updateApiKeyBody,
} from './model/api-key.ts'
export {
  generateApiKeyValue,
  hashApiKey,
  isWellFormedApiKey,
  looksLikeApiKey,
} from './model/api-key-value.ts'
export {
  AUDIT_ACTIONS,
  AUDIT_RESOURCE_TYPES,
  type AuditChange,
  AuditEntry,
  AuditLogQuery,
} from './model/audit-entry.ts'
export {
  ATTEMPT_STATUSES,
  type AttemptStatus,
  DELIVERY_OPTIONS,
  Delivery,
  DeliveryAttempt,
  DeliveryHour,
  type DeliveryStatus,
  EndpointStatistics,
  type Outcome,
  settle,
  type Undelivered,
} from './model/delivery.ts'
export {
  DELIVERY_FAILURES,
  type DeliveryFailure,
  type DeliveryFailureCode,
  deliveryFailure,
} from './model/delivery-failure.ts'
export { BEGIN_CERTIFICATE, checkCertificates, type EgressProxy } from './model/egress.ts'
export { decryptHeaders, isReservedHeader } from './model/endpoint-headers.ts'
export { ERASED } from './model/erasure.ts'
export { CatalogEntry, eventCatalogOf, WebhookEvent } from './model/event-catalog.ts'
export { eventFeedQuery } from './model/event-feed-query.ts'
export type { Idempotency } from './model/idempotency.ts'
export { IDEMPOTENCY_WINDOW_MS } from './model/idempotency.ts'
export { checkLease, LEASE_OPTIONS } from './model/lease.ts'
export { LIMIT_OPTIONS } from './model/limits.ts'
export { INEXACT_NUMBER } from './model/metadata.ts'
export { pipelineStatusOf } from './model/pipeline-status.ts'
export {
  ANY_QUOTATION,
  CANCELLED,
  DocumentUrl,
  hasEnded,
  PipelineStatus,
  Proposal,
  QUOTATION_STATUSES,
  Quotation,
  QuotationListQuery,
  QuotationQuery,
  SOURCES,
  StartedQuotation,
  startQuotationBody,
} from './model/quotation.ts'
export { QuotationEventData } from './model/quotation-events.ts'
export { START_OPTIONS } from './model/quote-pipeline.ts'
export { REPLAY_STATES, REPLAY_STATUSES, Replay, ReplayBody, ReplayCount } from './model/replay.ts'
export { requestHeaders, STANDARD_HEADERS, signingTime } from './model/request-headers.ts'
export { RETENTION_OPTIONS } from './model/retention.ts'
export { KNOWN_ROLES, requireManageIntegrations } from './model/session.ts'
export { TestDeliveryResult, testDeliveryBody } from './model/test-delivery.ts'
export { isKeyExpiring, WARNING_KINDS, type WarningKind } from './model/warning.ts'
export {
  createWebhookEndpointBody,
  DISABLED_REASONS,
  ORDERINGS,
  rotateSecretBody,
  TRIGGER_MODES,
  updateWebhookEndpointBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from './model/webhook-endpoint.ts'
export type { RecordedEvent } from './model/webhook-event.ts'
export { eventIdOf } from './model/webhook-event.ts'
export { DeliveryHoursQuery, deliveryLogQuery } from './services/delivery-log.ts'
export { decrypts, findUnusableKeys, type UnusableKey } from './services/encryption-keys.ts'
export { readSession, SESSION_TIMEOUT_MS } from './services/read-session.ts'
export * from './storage/api-keys.ts'
export * from './storage/audit-log.ts'
export * from './storage/deliveries.ts'
export * from './storage/delivery-log.ts'
export * from './storage/endpoint-health.ts'
export * from './storage/erasure.ts'
export * from './storage/event-feed.ts'
export * from './storage/export.ts'
export * from './storage/inspection.ts'
export * from './storage/pipeline-starts.ts'
export * from './storage/quotations.ts'
export * from './storage/replays.ts'
export * from './storage/retention.ts'
export * from './storage/signing-secrets.ts'
export * from './storage/telemetry.ts'
export * from './storage/test-deliveries.ts'
export * from './storage/warnings.ts'
export * from './storage/webhook-endpoints.ts'
export * from './storage/workers.ts'
