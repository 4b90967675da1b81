import type { FileStorage, UploadStorage } from '../files/file-storage.ts'
import type { EncryptedSecret } from '../lib/keyring.ts'
import type { PageRequest } from '../lib/page.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { ApiKey, StoredApiKeyStatus } from '../model/api-key.ts'
import type { AuditAction, AuditEntry } from '../model/audit-entry.ts'
import type { AttemptStatus, Delivery, DeliveryAttempt, DeliveryAttemptDetails } from '../model/delivery.ts'
import type { Idempotency } from '../model/idempotency.ts'
import type { Progress, ProgressChange } from '../model/progress.ts'
import type { PipelineStatus, Proposal, Quotation } from '../model/quotation.ts'
import type { Quote } from '../model/quote-pipeline.ts'
import type { Replay } from '../model/replay.ts'
import type { EndpointHealth, WebhookEndpoint } from '../model/webhook-endpoint.ts'
import type { RecordedEvent } from '../model/webhook-event.ts'
import type { FailingEndpoint } from '../services/failing-endpoints.ts'

/** The answer of a look-up by id: the thing, or whether it is somebody else's (403) or nobody's (404). */
export type Scoped<T> = T | 'other_organization' | 'unknown'

/** A key as it is stored: `expired` is derived from the clock later. */
export type StoredApiKey = Omit<ApiKey, 'status'> & { readonly status: StoredApiKeyStatus }

/** How many keys that are neither revoked nor expired there may be. */
export interface ApiKeyMaximum {
  readonly ofOrganization: number
  readonly ofOwner: number
}

export interface ApiKeyStorage {
  /**
   * Inserts a key if its organization and its owner may have one more. Keys that expire after `key.created_at` count.
   * @returns whose maximum is reached if nothing was written, else null
   */
  insertApiKey(
    key: StoredApiKey,
    hash: Uint8Array,
    maximum: ApiKeyMaximum,
  ): Promise<keyof ApiKeyMaximum | null>
  /** The only look-up that crosses organizations: the key is what tells the organization. */
  findApiKeyByHash(
    hash: Uint8Array,
  ): Promise<Pick<StoredApiKey, 'id' | 'organization_id' | 'status' | 'expires_at'> | null>
  /** null: there is none in the organization. */
  findApiKey(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** The same, and nobody else changes the key before the transaction ends. */
  lockApiKey(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** Changes a key that was locked. */
  saveApiKey(key: StoredApiKey): Promise<void>
  /** Keys in every state, the newest first: those of one owner, or (null) of all. */
  listApiKeys(organizationId: string, ownerId: string | null, page: PageRequest): Promise<StoredApiKey[]>
  /** Writes `last_used_at` of several keys at once, never backwards. */
  recordApiKeyUses(uses: ReadonlyMap<string, Date>): Promise<void>
}

/** Which entries of the audit log are wanted; null: any. `since` is inclusive, `until` is not. */
export interface AuditFilter {
  readonly resource_id: string | null
  readonly action: AuditAction | null
  readonly since: Date | null
  readonly until: Date | null
}

export interface AuditStorage {
  /** Writes an entry. Call it in the transaction of the change that it tells of: see audit-log.ts. */
  recordAudit(entry: AuditEntry): Promise<void>
  /** The newest first. */
  listAuditLog(organizationId: string, filter: AuditFilter, page: PageRequest): Promise<AuditEntry[]>
}

/** The signing secrets of an endpoint. The one before the last rotation may still be kept. */
export interface EndpointSecrets {
  readonly endpoint_id: string
  readonly secret: EncryptedSecret
  readonly previousSecret: EncryptedSecret | null
}

/** Signing secrets of every organization: for their encryption alone. Deleted endpoints have none. */
export interface SecretStorage {
  /**
   * Endpoints with a secret that another key than `keyId` encrypted, in the order of their ids, those after `after`.
   * Nobody else changes them before the transaction ends.
   */
  lockOldSecrets(wanted: { keyId: string; after: string | null; limit: number }): Promise<EndpointSecrets[]>
  /** Writes the secrets of endpoints that were locked, as a new version of each endpoint. */
  saveSecrets(secrets: readonly EndpointSecrets[]): Promise<void>
  /** How many secrets each key encrypts, by its id. */
  countSecrets(): Promise<ReadonlyMap<string, number>>
}

/** A quotation on its way in. */
export interface NewQuotation extends Quote {
  readonly api_key_id: string | null
  readonly created_at: Date
  /** Of the request that started it. */
  readonly trace: TraceContext | null
}

/** What became of a quotation on its way in; anything but `accepted` wrote nothing. */
export type Acceptance =
  | { readonly outcome: 'accepted' }
  /** The same request was accepted before, under the same idempotency key. */
  | { readonly outcome: 'repeated'; readonly quotation_id: string }
  /** Another request was accepted under the key. */
  | { readonly outcome: 'key_reused' }
  /** A request is being accepted under the key right now. */
  | { readonly outcome: 'key_in_use' }

/** Quotations, their progress and their proposals: the part that `quotations` of a host replaces (host-quotations.ts). */
export interface QuotationStorage {
  /**
   * Writes the quotation, the order to start its pipeline, and what is to be remembered of its idempotency key; takes its
   * files over from the uploads. All or nothing.
   */
  acceptQuotation(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  /** Quotations that have neither ended nor been reported on since. */
  findStalledQuotations(silentSince: Date, limit: number): Promise<string[]>
  findQuotation(organizationId: string, id: string): Promise<Scoped<Quotation>>
  findPipelineStatus(organizationId: string, quotationId: string): Promise<Scoped<PipelineStatus>>
  /** `null` when the quotation is there and has no proposal yet. */
  findProposalOfQuotation(organizationId: string, quotationId: string): Promise<Scoped<Proposal | null>>
  findProposal(organizationId: string, id: string): Promise<Scoped<Proposal>>
  /** Reads where a quotation stands and locks it until the transaction ends. Called by the pipeline, which is trusted: no organization id. `trace` is the one it was accepted with. */
  lockProgress(quotationId: string): Promise<(Progress & { readonly trace: TraceContext | null }) | null>
  /** The names of those quotations of the organization that can be found. */
  findQuotationNames(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  saveProgress(organizationId: string, quotationId: string, change: ProgressChange, now: Date): Promise<void>
}

export interface WebhookEndpointStorage {
  /** @returns false, and writes nothing, when the organization already has `maximum` endpoints */
  insertWebhookEndpoint(
    endpoint: StoredWebhookEndpoint,
    secret: EncryptedSecret,
    maximum: number,
  ): Promise<boolean>
  /** All that are not deleted, the oldest first. */
  listWebhookEndpoints(organizationId: string): Promise<StoredWebhookEndpoint[]>
  /** null: unknown, deleted, or of another organization. */
  findWebhookEndpoint(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** The same, and nobody else changes it before the transaction ends. */
  lockWebhookEndpoint(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** Whether the organization has the endpoint, or had it before it was deleted. */
  hadWebhookEndpoint(organizationId: string, id: string): Promise<boolean>
  /** Changes an endpoint that was locked. One that gets disabled has its pending deliveries parked; one that gets enabled begins anew to be healthy. */
  updateWebhookEndpoint(
    organizationId: string,
    id: string,
    change: WebhookEndpointChange,
    now: Date,
  ): Promise<StoredWebhookEndpoint>
  /** Deletes, softly, an endpoint that was locked, and parks its pending deliveries. Its secrets are erased. */
  deleteWebhookEndpoint(organizationId: string, id: string, now: Date): Promise<StoredWebhookEndpoint>
  /** Gives a new secret to an endpoint that was locked. The one before signs too until `previousUntil` (null: no more). */
  rotateSigningSecret(
    organizationId: string,
    id: string,
    rotation: { secret: EncryptedSecret; hint: string; previousUntil: Date | null },
    now: Date,
  ): Promise<StoredWebhookEndpoint>
}

/** An endpoint as it is stored: its health is read apart. */
export type StoredWebhookEndpoint = Omit<WebhookEndpoint, 'health'>

/** The fields of an endpoint that a change sets. */
export type WebhookEndpointChange = Partial<
  Pick<
    WebhookEndpoint,
    'name' | 'url' | 'description' | 'events' | 'trigger_mode' | 'is_enabled' | 'disabled_reason'
  >
>

/** How the deliveries of endpoints go. */
export interface EndpointHealthStorage {
  /** Of all that the organization has of these; an endpoint that was never called is there, too. */
  readEndpointHealth(
    organizationId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, EndpointHealth>>
  /** Enabled endpoints that nothing but failures came of since then, or longer. */
  findFailingEndpoints(failingSince: Date, limit: number): Promise<FailingEndpoint[]>
}

/** An attempt as it is stored: names are resolved later. `event_id` is the uuid. */
export type StoredAttempt = Omit<DeliveryAttempt, 'quotation_name'>

export type StoredAttemptDetails = StoredAttempt &
  Pick<DeliveryAttemptDetails, 'response_body' | 'first_byte_ms'>

/** A delivery as it is stored. */
export interface StoredDelivery extends Omit<Delivery, 'quotation_name' | 'attempts'> {
  readonly attempts: readonly StoredAttemptDetails[]
}

/** Which attempts are wanted; null: any. */
export interface AttemptFilter {
  readonly endpoint_id: string | null
  readonly event_type: string | null
  readonly status: AttemptStatus | null
  /** Inclusive. */
  readonly since: Date | null
  /** Exclusive. */
  readonly until: Date | null
}

/** What was sent. */
export interface DeliveryLogStorage {
  /** The newest first. */
  listDeliveryAttempts(
    organizationId: string,
    filter: AttemptFilter,
    page: PageRequest,
  ): Promise<StoredAttempt[]>
  findDelivery(organizationId: string, id: string): Promise<StoredDelivery | null>
  /**
   * Starts a new delivery of the same event to the same endpoint, in place of the one given if that has not ended.
   * @returns its id; null when that one is being sent, or its event is no longer kept
   */
  resendDelivery(
    organizationId: string,
    delivery: Pick<StoredDelivery, 'id' | 'event_id' | 'endpoint_id'>,
    now: Date,
  ): Promise<string | null>
}

/** Replays: orders to send an endpoint what it missed. */
export interface ReplayStorage {
  /** @returns false, and writes nothing, while a replay of the endpoint is running */
  insertReplay(
    organizationId: string,
    replay: Pick<Replay, 'id' | 'endpoint_id' | 'since' | 'until' | 'status'>,
    now: Date,
  ): Promise<boolean>
  findReplay(organizationId: string, endpointId: string, id: string): Promise<Replay | null>
  /**
   * Moves one replay on by up to `limit` events: makes the deliveries and keeps the position, all or nothing.
   * @returns false when there is none to move
   */
  advanceReplay(limit: number, now: Date): Promise<boolean>
}

/** Sample deliveries: `settleAndClaim` hands them out ahead of all others, whether or not the endpoint is enabled. */
export interface TestDeliveryStorage {
  /** Writes a sample event and its one delivery, and wakes the workers. */
  insertTestDelivery(event: RecordedEvent, delivery: { id: string; endpointId: string }): Promise<void>
  /** `waiting` for a worker, `sending`, or over; `attempt` is there once it is recorded. */
  findTestDelivery(
    organizationId: string,
    deliveryId: string,
  ): Promise<{
    state: 'waiting' | 'sending' | 'over'
    attempt: Pick<StoredAttempt, 'id' | 'status' | 'http_status' | 'error'> | null
  }>
  /** @returns false when a worker has taken it meanwhile */
  withdrawTestDelivery(organizationId: string, deliveryId: string): Promise<boolean>
}

/** What a worker needs to send one delivery. */
export interface ClaimedDelivery {
  readonly id: string
  readonly organization_id: string
  readonly event_id: string
  readonly event_type: string
  readonly quotation_id: string | null
  /** The serialized event: these bytes are sent. */
  readonly body: string
  /** The number of this attempt, 1 for the first. It fences the lease: an outcome counts only while the row still has it. */
  readonly attempt: number
  readonly is_test: boolean
  readonly endpoint: {
    readonly id: string
    readonly url: string
    readonly secret: EncryptedSecret
    /** The secret before the last rotation, while that one is to sign too. */
    readonly previousSecret: EncryptedSecret | null
    /** Grows with every change of the endpoint, so that what was derived from it can be cached. */
    readonly version: number
  }
}

/** An attempt that was made, and what becomes of its delivery. */
export interface SettledAttempt {
  readonly id: string
  readonly delivery: ClaimedDelivery
  readonly status: Exclude<AttemptStatus, 'interrupted'>
  readonly http_status: number | null
  readonly error: string | null
  readonly duration_ms: number
  /** The beginning of the answer; null when there was none. */
  readonly response_body: string | null
  readonly first_byte_ms: number | null
  readonly created_at: Date
  readonly next_attempt_at: Date | null
}

/** A delivery whose attempt was not begun. */
export interface UnbegunDelivery extends Pick<ClaimedDelivery, 'id' | 'attempt'> {
  /** It is not due before then. Default: when it was. */
  readonly due_at?: Date
}

export interface DeliveryStorage {
  /** Writes an event and one delivery for each endpoint that subscribes to it, is enabled, and whose trigger mode fits; wakes the workers when that is committed. */
  recordEvent(event: RecordedEvent): Promise<void>
  /**
   * One round of a worker: records what was attempted (each outcome only while its lease is held), then leases up to
   * `limit` due deliveries, never more than `perEndpoint` of one endpoint over all workers.
   * @returns what was leased, and when the next delivery is due that could not be (null: none is waiting)
   */
  settleAndClaim(round: {
    workerId: string
    settled: readonly SettledAttempt[]
    limit: number
    perEndpoint: number
    now: Date
  }): Promise<{ claimed: ClaimedDelivery[]; nextDueAt: Date | null }>
  /** Gives leases back whose attempt was never begun: the attempt does not count. Those that were lost are passed over. */
  releaseDeliveries(workerId: string, deliveries: readonly UnbegunDelivery[]): Promise<void>
}

/** An order to start the pipeline of a quote, leased by a worker. */
export interface ClaimedStart {
  readonly quote: Quote
  /** 1 for the first call. It fences the lease. */
  readonly attempt: number
  /** Of the request that started the quote. */
  readonly trace: TraceContext | null
}

export interface PipelineStartStorage {
  /**
   * What `acceptQuotation` writes beside the quotation, for one that the host keeps in tables of its own: the order to start,
   * with the quote in it; what is to be remembered of its idempotency key; its files are taken over. All or nothing.
   */
  orderPipelineStart(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  claimPipelineStarts(round: {
    workerId: string
    limit: number
    now: Date
  }): Promise<{ claimed: ClaimedStart[]; nextDueAt: Date | null }>
  /** Ends the order (`retryAt` null) or sets when it is due again; nothing happens when the lease was lost. */
  settlePipelineStart(settled: {
    workerId: string
    quotationId: string
    attempt: number
    retryAt: Date | null
  }): Promise<void>
  /** Gives an order back whose call was never made: the try does not count. Nothing happens when the lease was lost. */
  releasePipelineStart(start: { workerId: string; quotationId: string; attempt: number }): Promise<void>
}

export interface ClockStorage {
  /** The time of the database, at this moment (not at the beginning of a transaction). */
  readClock(): Promise<Date>
}

/** What a heartbeat brings back. */
export interface Heartbeat {
  /** The time of the database. */
  readonly at: Date
  /** The others did not know the worker (any more): it holds nothing of what it claimed before. */
  readonly isNew: boolean
}

/** Workers are noticed by their heartbeat, measured by the clock of the database. */
export interface WorkerStorage {
  heartbeat(workerId: string): Promise<Heartbeat>
  /** Whether any worker gave a sign of life within the last `silentForMs` milliseconds. */
  hasLiveWorker(silentForMs: number): Promise<boolean>
  /**
   * Frees what silent workers held, and forgets them: whoever beats meanwhile keeps all that it holds. Each delivery that
   * was under way is recorded as an `interrupted` attempt and is due at once, unless that was its last attempt.
   */
  recoverDeadWorkers(options: {
    silentForMs: number
    maxAttempts: number
    now: Date
  }): Promise<{ deliveries: number; starts: number }>
  /** A worker says goodbye. It must hold no lease. */
  retireWorker(workerId: string): Promise<void>
  /**
   * Calls `onWake` whenever there may be new work, until what it returns is called. It waits for no connection: it listens as
   * soon as it can, and again when the connection is lost or refused, which `onLost` is told once each time. Nothing is lost
   * meanwhile: workers poll too.
   */
  listen(onWake: () => void, onLost?: (error: unknown) => void): Promise<() => Promise<void>>
}

/** Where an attempt comes from. */
export interface DeliveryOrigin {
  /** When it was due. */
  readonly due_at: Date
  /** What its event belongs to. */
  readonly trace: TraceContext | null
}

/** What waits to be delivered, over all workers. Tests are not counted. */
export interface QueueState {
  /** Due now, and not under way. Counted up to `QUEUE_COUNT_LIMIT`. */
  readonly due: number
  /** Due later: retries. Counted up to the same limit. */
  readonly scheduled: number
  /** When the oldest of those that are due was due; null when there is none. */
  readonly oldestDueAt: Date | null
}

/** Beyond so many, `QueueState` counts no further: it is read again and again, and a backlog makes it no slower. */
export const QUEUE_COUNT_LIMIT = 10_000

/** What metrics and traces need to know. Workers ask for it only where OpenTelemetry is set up. */
export interface TelemetryStorage {
  readQueueState(now: Date): Promise<QueueState>
  /** The origins of deliveries that a worker holds, by their ids. */
  findDeliveryOrigins(ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryOrigin>>
}

/** What has to be done now and then, by any worker. */
export interface MaintenanceStorage {
  /** Makes the tables of the coming days. */
  ensurePartitions(): Promise<void>
  forgetIdempotencyKeys(before: Date): Promise<void>
  /**
   * Removes deliveries of events that happened before `before`, at most `limit`, but none that is being sent.
   * @returns how many were parked, and how many were to be sent
   */
  expireDeliveries(before: Date, limit: number): Promise<{ parked: number; pending: number }>
  /**
   * Removes deliveries whose event is gone, though a worker leased them before `leasedBefore`: no claim returns them, so
   * nobody would ever end them. Somebody else has removed their events.
   */
  removeStrayLeases(leasedBefore: Date): Promise<number>
  /**
   * Drops the days of events and attempts that ended at `before` (the beginning of a day, UTC) or earlier. Waits for
   * nobody longer than 0.1 s, and drops no events that a delivery still needs.
   * @returns how many were dropped, how many rows were removed that belonged to no day, whether something is left because
   * it is in use, and whether something is left because the owner of the database keeps it for longer
   */
  dropHistory(before: Date): Promise<{ days: number; rows: number; isBlocked: boolean; isKept: boolean }>
  /** Forgets replays that ended before then. */
  forgetReplays(before: Date): Promise<void>
  /** At most `limit`. @returns how many */
  removeAuditEntries(before: Date, limit: number): Promise<number>
  /**
   * Takes files from quotations that ended before `endedBefore`, at most `limit`, and gives them up as uploads.
   * @returns how many
   */
  abandonFilesOfEndedQuotations(endedBefore: Date, limit: number, now: Date): Promise<number>
}

/**
 * Where everything is kept. Methods are named by intent and guarded inside; each that touches an organization's data
 * takes the organization id.
 */
export interface Storage
  extends ApiKeyStorage,
    AuditStorage,
    QuotationStorage,
    WebhookEndpointStorage,
    SecretStorage,
    EndpointHealthStorage,
    DeliveryLogStorage,
    ReplayStorage,
    TestDeliveryStorage,
    DeliveryStorage,
    PipelineStartStorage,
    UploadStorage,
    ClockStorage,
    WorkerStorage,
    TelemetryStorage,
    MaintenanceStorage {
  /** The default place of requirements files. */
  readonly files: FileStorage
  /** The same storage, bound to a transaction of the host: what it writes is rolled back with it. */
  within(transaction: unknown): Storage
  /** Runs `work` in one transaction (or in the host's, for a bound storage). */
  transaction<T>(work: (storage: Storage) => Promise<T>): Promise<T>
  close(): Promise<void>
}
