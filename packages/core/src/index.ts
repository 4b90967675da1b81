export type { IncomingFile, ReceivedFile, RequirementsFiles } from './files/requirements-file.ts'
// Setup
export { createIntegrations, type IntegrationServices, type Integrations } from './integrations.ts'
// Errors
export {
  ConfigurationError,
  ERRORS,
  type ErrorCode,
  type FieldError,
  IntegrationError,
} from './lib/errors.ts'
export type { EncryptionKey } from './lib/keyring.ts'
export { type Logger, silentLogger } from './lib/logger.ts'
export type { Page, PageRequest } from './lib/page.ts'
export { SecretValue } from './lib/secret-value.ts'
export type { TraceContext } from './lib/trace-context.ts'
// Models
export type { ApiKey, CreateApiKeyBody, RollApiKeyBody, UpdateApiKeyBody } from './model/api-key.ts'
export type { AuditAction, AuditEntry } from './model/audit-entry.ts'
export {
  DEFAULT_DELIVERY_POLICY,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryAttemptDetails,
  type DeliveryPolicy,
} from './model/delivery.ts'
export type { Certificates, EgressOptions } from './model/egress.ts'
export type { ErasedQuotation, Erasure, LeftToHost, RequestedBy } from './model/erasure.ts'
export type { CatalogEntry, WebhookEvent } from './model/event-catalog.ts'
export {
  defineEvents,
  type EventDataOf,
  type EventDefinition,
  type EventDefinitions,
  type NoEvents,
} from './model/event-definition.ts'
export { DEFAULT_LEASE_POLICY, type LeasePolicy } from './model/lease.ts'
export { DEFAULT_LIMITS, type Limits } from './model/limits.ts'
export {
  type DocumentUrl,
  type PipelineStatus,
  type Proposal,
  type Quotation,
  type QuotationFile,
  type QuotationFilter,
  type QuotationStatus,
  type Source,
  STEPS,
  type StartedQuotation,
  type StartQuotationBody,
  type Step,
  type StepStatus,
} from './model/quotation.ts'
export { EVENT_TYPES, type QuotationEventData, type QuotationEventType } from './model/quotation-events.ts'
export {
  DEFAULT_START_POLICY,
  type QuotationReporter,
  type Quote,
  type QuotePipeline,
  type StartPolicy,
} from './model/quote-pipeline.ts'
export type { CheckKind, CheckLine, ReceiverCheck, ReceiverCheckBody } from './model/receiver-check.ts'
export type { Replay, ReplayBody } from './model/replay.ts'
export { DEFAULT_RETENTION, type Retention } from './model/retention.ts'
export {
  MANAGE_INTEGRATIONS,
  type Member,
  memberOf,
  type Session,
  VIEW_INTEGRATIONS,
} from './model/session.ts'
export type { TestDeliveryBody, TestDeliveryResult } from './model/test-delivery.ts'
export type {
  ApiKeyExpiringWarning,
  DeliveriesExhaustedWarning,
  EndpointFailingWarning,
  ExpiringApiKey,
  WarnedEndpoint,
} from './model/warning.ts'
export type {
  CreateWebhookEndpointBody,
  EndpointHealth,
  FailingEndpoint,
  RotateSecretBody,
  UpdateWebhookEndpointBody,
  WebhookEndpoint,
  WebhookSummary,
} from './model/webhook-endpoint.ts'
// Services
export type { ApiKeys, AuthenticatedKey } from './services/api-keys.ts'
export type { AuditLog } from './services/audit-log.ts'
export type { DeliveryLog } from './services/delivery-log.ts'
export type { EmittedEvent, Emitter } from './services/emitter.ts'
export type { EventFeed, EventPage } from './services/event-feed.ts'
export type { EraseOrganization, Organizations } from './services/organizations.ts'
export type { Quotations, StartQuotation, StartResult } from './services/quotations.ts'
export type { Replays } from './services/replays.ts'
export type { ReporterOptions } from './services/reporter.ts'
export type { SecretReencryption } from './services/secret-reencryption.ts'
export type { TestDeliveries } from './services/test-deliveries.ts'
export type { WebhookEndpoints } from './services/webhook-endpoints.ts'
export type { IntegrationsOptions, Settings } from './settings.ts'
export type { FileId, FileStorage } from './storage/files.ts'
// Interfaces that a host can implement
export type { HostQuotation, HostQuotations, QuotationChange } from './storage/host-quotations.ts'
export type { NewQuotation } from './storage/quotations.ts'
export type { Storage } from './storage/storage.ts'
