/** Exports for our own packages. Not for hosts: any release may change them. */
export { Type } from '@sinclair/typebox'
export type { FileId, FileStorage, UploadStorage } from './files/file-storage.ts'
export {
  createRequirementsFiles,
  type IncomingFile,
  type ReceivedFile,
  type RequirementsFiles,
} from './files/requirements-file.ts'
export { createIntegrations, type IntegrationServices, type Integrations } from './integrations.ts'
export * from './lib/address-guard.ts'
export { answerInTime } from './lib/answer-in-time.ts'
export { callHost } from './lib/call-host.ts'
export { CLOCK_WARN_MS, CLOCK_WRONG_MS, type Clock } from './lib/clock.ts'
export * from './lib/errors.ts'
export type { EncryptedSecret, EncryptionKey, Keyring } from './lib/keyring.ts'
export { lazily } from './lib/lazily.ts'
export { loggableError } from './lib/loggable-error.ts'
export { type Logger, silentLogger } from './lib/logger.ts'
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
export type { Page, PageRequest, Position } from './lib/page.ts'
export * from './lib/problem.ts'
export { Uuid } from './lib/schema.ts'
export { SecretValue } from './lib/secret-value.ts'
export { isUuid, ownedBy, type TenantLookup } from './lib/tenancy.ts'
export {
  activeTraceContext,
  parseTraceContext,
  spanContextOf,
  type TraceContext,
} from './lib/trace-context.ts'
export { validate, validateUrlPart } from './lib/validator.ts'
export * from './model/api-key.ts'
export * from './model/api-key-value.ts'
export * from './model/audit-entry.ts'
export * from './model/delivery.ts'
export { areCertificates, type Certificates, type EgressProxy } from './model/egress.ts'
export { decryptHeaders, isReservedHeader } from './model/endpoint-headers.ts'
export * from './model/erasure.ts'
export { CatalogEntry, type EventCatalog, eventCatalogOf, WebhookEvent } from './model/event-catalog.ts'
export * from './model/event-definition.ts'
export { eventFeedQuery, LONGEST_EVENT_WAIT_SECONDS } from './model/event-feed-query.ts'
export * from './model/export.ts'
export { IDEMPOTENCY_WINDOW_MS, type Idempotency } from './model/idempotency.ts'
export { MemberId, OrganizationId } from './model/ids.ts'
export * from './model/limits.ts'
export { INEXACT_NUMBER } from './model/metadata.ts'
export { pipelineStatusOf } from './model/pipeline-status.ts'
export * from './model/progress.ts'
export * from './model/quotation.ts'
export * from './model/quotation-events.ts'
export * from './model/quote-pipeline.ts'
export * from './model/replay.ts'
export { requestHeaders, STANDARD_HEADERS, signingTime } from './model/request-headers.ts'
export { DEFAULT_RETENTION, RETENTION_OPTIONS, type Retention } from './model/retention.ts'
export * from './model/session.ts'
export * from './model/test-delivery.ts'
export { isKeyExpiring, WARNING_KINDS, type WarningKind } from './model/warning.ts'
export * from './model/webhook-endpoint.ts'
export { eventIdOf, type RecordedEvent } from './model/webhook-event.ts'
export type { ApiKeys, AuthenticatedKey } from './services/api-keys.ts'
export type { AuditLog } from './services/audit-log.ts'
export { DeliveryHoursQuery, type DeliveryLog, deliveryLogQuery } from './services/delivery-log.ts'
export type { EmittedEvent, Emitter } from './services/emitter.ts'
export type { EventFeed, EventPage } from './services/event-feed.ts'
export type { Quotations, StartQuotation, StartResult } from './services/quotations.ts'
export { readSession, SESSION_TIMEOUT_MS } from './services/read-session.ts'
export type { Replays } from './services/replays.ts'
export type { SecretReencryption } from './services/secret-reencryption.ts'
export type { TestDeliveries } from './services/test-deliveries.ts'
export type { WebhookEndpoints } from './services/webhook-endpoints.ts'
export type { IntegrationsOptions, Settings } from './settings.ts'
export * from './storage/api-keys.ts'
export * from './storage/audit-log.ts'
export * from './storage/deliveries.ts'
export * from './storage/delivery-log.ts'
export * from './storage/endpoint-health.ts'
export * from './storage/erasure.ts'
export * from './storage/event-feed.ts'
export * from './storage/export.ts'
export type { HostQuotation, HostQuotations, QuotationChange } from './storage/host-quotations.ts'
export * from './storage/inspection.ts'
export * from './storage/pipeline-starts.ts'
export * from './storage/quotations.ts'
export * from './storage/replays.ts'
export * from './storage/retention.ts'
export * from './storage/signing-secrets.ts'
export * from './storage/storage.ts'
export * from './storage/telemetry.ts'
export * from './storage/test-deliveries.ts'
export * from './storage/warnings.ts'
export * from './storage/webhook-endpoints.ts'
export * from './storage/workers.ts'
