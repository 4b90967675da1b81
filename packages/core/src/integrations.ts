import { createRequirementsFiles, type RequirementsFiles } from './files/requirements-file.ts'
import { databaseClock, givenClock } from './lib/clock.ts'
import type { OptionTable } from './lib/option-check.ts'
import { outageLog } from './lib/outage.ts'
import { version } from './lib/version.ts'
import type { NotedRequest } from './model/api-key-use.ts'
import type { EventDefinitions, NoEvents } from './model/event-definition.ts'
import type { QuotationReporter } from './model/quote-pipeline.ts'
import { type ApiKeys, createApiKeys } from './services/api-keys.ts'
import { type AuditLog, createAuditLog } from './services/audit-log.ts'
import { createDeliveryLog, type DeliveryLog } from './services/delivery-log.ts'
import { createEmitter, type Emitter } from './services/emitter.ts'
import { createEventFeed, type EventFeed } from './services/event-feed.ts'
import { disableFailingEndpoints } from './services/failing-endpoints.ts'
import { repairFeed } from './services/feed-repair.ts'
import { withHostQuotations } from './services/host-quotations.ts'
import { createLastUsesOfKeys } from './services/last-uses-of-keys.ts'
import type { NotesByKey } from './services/notes-by-key.ts'
import { continueErasing, createOrganizations, type Organizations } from './services/organizations.ts'
import { withOtherStorages } from './services/other-storages.ts'
import { createQuotations, type Quotations } from './services/quotations.ts'
import { createReplays, type Replays } from './services/replays.ts'
import { createReporter, type ReporterOptions } from './services/reporter.ts'
import { createRequestsOfKeys } from './services/requests-of-keys.ts'
import { enforceRetention } from './services/retention.ts'
import { reencryptSecrets, type SecretReencryption } from './services/secret-reencryption.ts'
import { createTestDeliveries, type TestDeliveries } from './services/test-deliveries.ts'
import { sendWarnings } from './services/warnings.ts'
import { createWebhookEndpoints, type WebhookEndpoints } from './services/webhook-endpoints.ts'
import { createSettings, type IntegrationsOptions, type Settings } from './settings.ts'
import type { Storage } from './storage/storage.ts'

/** The services of integrations, on their own or inside a transaction of the host. */
export interface IntegrationServices<Events extends EventDefinitions = NoEvents> extends Emitter<Events> {
  readonly apiKeys: ApiKeys
  readonly quotations: Quotations
  readonly webhookEndpoints: WebhookEndpoints
  readonly deliveryLog: DeliveryLog
  readonly replays: Replays
  readonly auditLog: AuditLog
  /**
   * The reporter of a quotation. Works in any process.
   * @param options.organizationId its reports are refused (OTHER_ORGANIZATION) unless the quotation belongs to it.
   * Default: any.
   */
  pipeline(quotationId: string, options?: ReporterOptions): QuotationReporter
}

/** `Transaction` is the type of the host's transactions that `within` accepts. */
export interface Integrations<Events extends EventDefinitions = NoEvents, Transaction = unknown>
  extends IntegrationServices<Events> {
  /** Not part of a transaction: workers see only committed tests. */
  readonly testDeliveries: TestDeliveries
  /** Not part of a transaction: erasing takes many. */
  readonly organizations: Organizations
  readonly storage: Storage<Transaction>
  readonly settings: Settings
  /** Not part of a transaction: only committed events are in the feed. */
  readonly eventFeed: EventFeed
  /** Receives files for `quotations.start`, and reads those of accepted quotes. */
  readonly requirementsFiles: RequirementsFiles
  /**
   * The same services bound to a transaction of the host (drizzle's, or postgres.js's `sql.begin`). Their writes,
   * including events and deliveries, commit or roll back with it.
   */
  within(transaction: Transaction): IntegrationServices<Events>
  /**
   * Re-encrypts every signing secret with the newest of the `encryptionKeys`, so that older keys can be removed. Safe
   * to repeat after an interruption, and while the service is in use.
   */
  reencryptSecrets(): Promise<SecretReencryption>
  /**
   * Disables endpoints whose deliveries have all failed for `delivery.disableAfterMs`. Workers do this regularly.
   * @returns how many
   */
  disableFailingEndpoints(): Promise<number>
  /**
   * Repairs the positions of the event feed after a move of the database without its sequence. The plugin and the
   * worker do it.
   */
  repairFeed(): Promise<void>
  /**
   * Logs due warnings and calls their hooks: `onEndpointFailing`, `onDeliveriesExhausted`, `onApiKeyExpiring`. Workers
   * do this every minute.
   * @returns the number of successful hook calls
   */
  sendWarnings(): Promise<number>
  /** Removes data that `retention` no longer keeps. Workers do this regularly. */
  enforceRetention(): Promise<void>
  /**
   * Erases the next batch of an organization passed to `organizations.erase`. Workers do this; without a worker, call
   * it until it returns false. Safe to run in any number of processes.
   * @returns whether there may be more to erase now
   * @throws the error of the file storage or of a method of `quotations`; the next call tries again
   */
  continueErasing(): Promise<boolean>
  /**
   * Stops running workers, writes pending data and closes the storage. The order of your `onClose` hooks does not matter.
   * A second call waits for the first.
   */
  close(): Promise<void>
  /** Registers a function that `close()` calls and waits for before it closes the storage. Workers use it. */
  beforeClose(stop: () => Promise<void>): void
}

/**
 * Creates the integrations that the Fastify plugin, the worker and the host share.
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function createIntegrations<Events extends EventDefinitions = NoEvents, Transaction = unknown>(
  options: IntegrationsOptions<Events, Transaction>,
): Integrations<Events, Transaction> {
  const checked = createSettings(options)
  const { notify } = checked.delivery
  options.storage.watch(outageLog(checked.logger))
  const { within } = options.storage
  const own = { ...options.storage, within: (transaction: Transaction) => within(transaction, { notify }) }
  const clock =
    options.now === undefined
      ? databaseClock(() => options.storage.clock.read(), checked.logger)
      : givenClock(options.now)
  const settings: Settings = { ...checked, clock, now: clock.now }
  const ours = options.quotations === undefined ? own : withHostQuotations(own, options.quotations, settings)
  const { otherStorages = [] } = options
  const storage = otherStorages.length === 0 ? ours : withOtherStorages(ours, otherStorages)
  const files = options.files ?? storage.files
  const requirementsFiles = createRequirementsFiles({ uploads: storage.uploads, files }, settings)
  const lastUses = createLastUsesOfKeys(storage.apiKeys, settings.logger)
  const requestsOfKeys = createRequestsOfKeys(storage.apiKeys, settings.logger)
  const context = { storage, settings }
  const shared: Shared = { requirementsFiles, lastUses, requestsOfKeys }
  const stops: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all([lastUses.close(), requestsOfKeys.close()])
    await storage.close()
  }

  return {
    ...createServices(context, shared, { isBound: false }),
    testDeliveries: createTestDeliveries(context),
    organizations: createOrganizations(context),
    storage,
    settings,
    eventFeed: createEventFeed(context),
    requirementsFiles,
    within(transaction) {
      const bound = storage.within(transaction)
      // The transaction may hold the only connection.
      const ready = () => clock.ready(() => bound.clock.read())
      const settingsThere = { ...settings, clock: { ...clock, ready } }
      return createServices({ storage: bound, settings: settingsThere }, shared, { isBound: true })
    },
    reencryptSecrets: () => reencryptSecrets(context),
    disableFailingEndpoints: () => disableFailingEndpoints(context),
    repairFeed: () => repairFeed(context),
    sendWarnings: () => sendWarnings(context),
    enforceRetention: () => enforceRetention(context),
    continueErasing: () => continueErasing({ ...context, files }),
    close: () => (closing ??= close()),
    beforeClose(stop) {
      stops.push(stop)
    },
  }
}

/**
 * The row of the option `integrations`, which must be of this version: npm installs a second core beside the first if the
 * packages differ in version, and errors of the one are unknown to the other.
 */
export const INTEGRATIONS_OPTION = {
  isRequired: true,
  check: (given) => areIntegrations(given) && given.settings?.version === version,
  rule: (given) =>
    areIntegrations(given)
      ? `were created by @quickquote/core ${given.settings?.version}, and this package uses ${version}. Install all ` +
        '@quickquote packages in one version; `npm ls @quickquote/core` lists both.'
      : 'is missing: pass the result of createIntegrations({ … }).',
} as const satisfies OptionTable[string]

function areIntegrations(given: unknown): given is Partial<Integrations> {
  return typeof (given as Partial<Integrations> | undefined)?.quotations?.start === 'function'
}

/** Shared by all services, in any transaction. */
interface Shared {
  readonly requirementsFiles: RequirementsFiles
  readonly lastUses: NotesByKey<Date>
  readonly requestsOfKeys: NotesByKey<NotedRequest>
}

function createServices(
  context: { readonly storage: Storage; readonly settings: Settings },
  { requirementsFiles, lastUses, requestsOfKeys }: Shared,
  { isBound }: { readonly isBound: boolean },
): IntegrationServices<EventDefinitions> {
  return {
    apiKeys: createApiKeys(context, lastUses, requestsOfKeys),
    quotations: createQuotations(context, requirementsFiles, { isBound }),
    webhookEndpoints: createWebhookEndpoints(context),
    deliveryLog: createDeliveryLog(context),
    replays: createReplays(context),
    auditLog: createAuditLog(context),
    pipeline: (quotationId, options) => createReporter(context, quotationId, options),
    ...createEmitter(context),
  }
}
