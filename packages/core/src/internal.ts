// biome-ignore-all assist/source/organizeImports: grouped by the packages that need them
/** What our own packages share beyond `index.ts`. Not for hosts: any release may change it. */
export * from './index.ts'

// Storages: what the ports of `Storage` take and return, and the values in their tables.
export type { EncryptedSecret } from './lib/keyring.ts'
export {
  MOST_REQUESTS,
  type NotedRequest,
  QuotationOfApiKey,
  UsesOfApiKey,
} from './model/api-key-use.ts'
export { isUuid, ownedBy } from './lib/tenancy.ts'
export type { StoredApiKeyStatus } from './model/api-key.ts'
export {
  AUDIT_ACTIONS,
  AUDIT_RESOURCE_TYPES,
  type AuditChange,
  ENDPOINT_CHANGES,
} from './model/audit-entry.ts'
export { ATTEMPT_STATUSES, type DeliveryStatus } from './model/delivery.ts'
export type { Undelivered } from './model/delivery-log-query.ts'
export { DELIVERY_FAILURES, FAILURE_DETAILS } from './model/delivery-failure.ts'
export { ERASED } from './model/erasure.ts'
export { IDEMPOTENCY_WINDOW_MS, type Idempotency } from './model/idempotency.ts'
export { pipelineStatusOf } from './model/pipeline-status.ts'
export { QUOTATION_STATUSES, SOURCES } from './model/quotation.ts'
export { REPLAY_STATES, REPLAY_STATUSES } from './model/replay.ts'
export { WARNING_KINDS } from './model/warning.ts'
export { DISABLED_REASONS, ORDERINGS, TRIGGER_MODES } from './model/webhook-endpoint.ts'
export type { RecordedEvent } from './model/webhook-event.ts'
export type { AuditFilter } from './storage/audit-log.ts'
export {
  type ClaimedDelivery,
  type DeliveryRound,
  type DeliveryRoundResult,
  FEW,
  MOST_OF_FREE,
  type RoundMemory,
  type SettledAttempt,
  type UnbegunDelivery,
} from './storage/deliveries.ts'
export type { AttemptFilter, DeliveryIdentity } from './storage/delivery-log.ts'
export type { EndpointCondition } from './storage/endpoint-health.ts'
export type { FeedPosition } from './storage/event-feed.ts'
export type { ExportPart } from './storage/export.ts'
export type { ClaimedStart } from './storage/pipeline-starts.ts'
export { ANY_QUOTATION } from './model/quotation.ts'
export type { Acceptance, SeenQuotation } from './storage/quotations.ts'
export type { ReplayOrder } from './storage/replays.ts'
export { MAX_PREVIOUS_SECRETS, type PreviousSecret } from './model/signing-secret.ts'
export type { EndpointSecrets } from './storage/signing-secrets.ts'
export type { PortName } from './storage/storage.ts'
export { type DeliveryOrigin, QUEUE_COUNT_LIMIT } from './storage/telemetry.ts'
export type { StoredWebhookEndpoint, WebhookEndpointChange } from './storage/webhook-endpoints.ts'
export type { Places, PolledWork, Work, WorkListener } from './storage/workers.ts'

// Routes: schemas of parameters, bodies and responses.
export type { Static, TObject, TSchema } from '@sinclair/typebox'
export { LONGEST_WAIT_SECONDS } from './lib/page.ts'
export { Uuid } from './lib/schema.ts'
export { optionalTimeOf } from './lib/timestamp.ts'
export { Type } from './lib/type.ts'
export { validateUrlPart } from './lib/validator.ts'
export {
  ApiKey,
  ApiKeyListQuery,
  CreatedApiKey,
  createApiKeyBody,
  rollApiKeyBody,
  updateApiKeyBody,
} from './model/api-key.ts'
export { looksLikeApiKey } from './model/api-key-value.ts'
export { AuditEntry, AuditLogQuery } from './model/audit-entry.ts'
export { Delivery, DeliveryAttempt, DeliveryHour, EndpointStatistics } from './model/delivery.ts'
export { DeliveryHoursQuery, deliveryLogQuery } from './model/delivery-log-query.ts'
export { CatalogEntry, eventCatalogOf, WebhookEvent } from './model/event-catalog.ts'
export { eventFeedQuery } from './model/event-feed-query.ts'
export { INEXACT_NUMBER } from './model/metadata.ts'
export {
  CANCELLED,
  DocumentUrl,
  hasEnded,
  PipelineStatus,
  Proposal,
  Quotation,
  QuotationListQuery,
  QuotationQuery,
  StartedQuotation,
  startQuotationBody,
} from './model/quotation.ts'
export { QuotationEventData } from './model/quotation-events.ts'
export { Replay, ReplayBody, ReplayCount } from './model/replay.ts'
export { KNOWN_ROLES, requireManageIntegrations, requireViewIntegrations } from './model/session.ts'
export {
  CHECK_KINDS,
  CHECK_VERDICTS,
  type CheckKind,
  ReceiverCheck,
  receiverCheckBody,
  signedAt,
} from './model/receiver-check.ts'
export { TestDeliveryResult, testDeliveryBody } from './model/test-delivery.ts'
export { isKeyExpiring } from './model/warning.ts'
export {
  createWebhookEndpointBody,
  rotateSecretBody,
  updateWebhookEndpointBody,
  WebhookEndpoint,
  WebhookSummary,
  WebhookEndpointWithSecret,
} from './model/webhook-endpoint.ts'
export { addressBits, isIPv4 } from './lib/address-bits.ts'

// Routes and the portal, which import nothing from each other: sessions, errors and pages.
export {
  DEFAULT_PROBLEM_TYPE_BASE,
  PROBLEM_MEDIA_TYPE,
  Problem,
  problemOf,
  problemType,
} from './lib/problem.ts'
export { type Content, contentAnswer, contentOf, FIXED, fixedName } from './lib/static-content.ts'
export { type Brand, checkBrand, themeRule } from './lib/theme.ts'
export { readSession, SESSION_TIMEOUT_MS } from './services/read-session.ts'

// Benches: thousands of keys, without a request for each.
export { generateApiKeyValue, hashApiKey } from './model/api-key-value.ts'

// Workers: requests, outcomes and upkeep.
export type { AddressGuard } from './lib/address-guard.ts'
export { CLOCK_WARN_MS, CLOCK_WRONG_MS, type Clock } from './lib/clock.ts'
export type { Keyring } from './lib/keyring.ts'
export { newId } from './lib/new-id.ts'
export { type HttpResponse, type Outcome, settle } from './model/settle.ts'
export { type DeliveryFailure, type DeliveryFailureCode, deliveryFailure } from './model/delivery-failure.ts'
export { BEGIN_CERTIFICATE, CERTIFICATES, type EgressProxy } from './model/egress.ts'
export { decryptHeaders, isReservedHeader } from './model/endpoint-headers.ts'
export { checkLease } from './model/lease.ts'
export { requestHeaders, STANDARD_HEADERS, signingTime } from './model/request-headers.ts'
export { eventIdOf } from './model/webhook-event.ts'
export { decrypts, findUnusableKeys, type UnusableKey } from './services/encryption-keys.ts'

// All of them: options, errors and small tools.
export { inTurns } from './files/in-turns.ts'
export { INTEGRATIONS_OPTION } from './integrations.ts'
export { answerInTime } from './lib/answer-in-time.ts'
export { invalidField, validationFailed } from './lib/errors.ts'
export { loggableError } from './lib/loggable-error.ts'
export * from './lib/option-check.ts'
export { type CallWatcher, isOutage } from './lib/outage.ts'
export { givenOptions, pick } from './lib/fields.ts'
export { parseUrl, trimEndOf } from './lib/text.ts'
export { version } from './lib/version.ts'
