import { type AddressGuard, addressGuard } from './lib/address-guard.ts'
import type { Clock } from './lib/clock.ts'
import { ConfigurationError } from './lib/errors.ts'
import { pick } from './lib/fields.ts'
import { createKeyring, type EncryptionKey, type Keyring } from './lib/keyring.ts'
import { borrowedLogger, carefulLogger, type Logger } from './lib/logger.ts'
import {
  checkOptionValues,
  completeOptions,
  hasMethods,
  isFunction,
  isObject,
  isTime,
  listOf,
  matching,
  type OptionsOf,
  type OptionTable,
  TIMER,
} from './lib/option-check.ts'
import { version } from './lib/version.ts'
import { API_KEY_OPTIONS, type ApiKeyPolicy } from './model/api-key-use.ts'
import { DELIVERY_OPTIONS, type DeliveryPolicy } from './model/delivery.ts'
import { createEgress, type Egress, type EgressOptions } from './model/egress.ts'
import { createEventCatalog, type EventCatalog } from './model/event-catalog.ts'
import type { EventDefinitions } from './model/event-definition.ts'
import { checkLease, LEASE_OPTIONS, type LeasePolicy } from './model/lease.ts'
import { LIMIT_OPTIONS, type Limits } from './model/limits.ts'
import { STEPS, type Step } from './model/quotation.ts'
import { type QuotePipeline, START_OPTIONS, type StartPolicy } from './model/quote-pipeline.ts'
import { type Retention, retentionOptions } from './model/retention.ts'
import type {
  ApiKeyExpiringWarning,
  DeliveriesExhaustedWarning,
  EndpointFailingWarning,
} from './model/warning.ts'
import type { FailingEndpoint } from './model/webhook-endpoint.ts'
import type { FileStorage } from './storage/files.ts'
import type { HostQuotations } from './storage/host-quotations.ts'
import type { PortName, Ports, Storage } from './storage/storage.ts'

/** The options of `createIntegrations`, with any event types unless `Events` names them. */
export interface IntegrationsOptions<
  Events extends EventDefinitions = EventDefinitions,
  Transaction = unknown,
> {
  /** Your storage, from `drizzleStorage`. */
  readonly storage: Storage<Transaction>
  /**
   * The storages of your other databases, if you have several. A quote or proposal that another organization has there
   * returns 403, as in one database, instead of 404. An unavailable storage counts as empty. Default none.
   */
  readonly otherStorages?: readonly Storage<Transaction>[]
  /** Your quote pipeline. */
  readonly pipeline: QuotePipeline
  /** Your own event types, from `defineEvents`. Default none. */
  readonly events?: Events
  /** Keeps quotations and proposals in your own tables, in the same database. Default: in the storage. */
  readonly quotations?: HostQuotations
  /** Stores the bytes of requirements files. Default: in the storage. */
  readonly files?: FileStorage
  /** Keys that encrypt signing secrets and endpoint headers (AES-256-GCM). Newest first, at least one. */
  readonly encryptionKeys: readonly EncryptionKey[]
  /** Names the webhook headers: `Acme` gives `X-Acme-Signature`. Letters, digits and dashes. Default `Service`. */
  readonly productName?: string
  /** Limits on requests and their content. */
  readonly limits?: Partial<Limits>
  /** How webhooks are delivered. */
  readonly delivery?: Partial<DeliveryPolicy>
  /** How pipeline starts are retried. */
  readonly start?: Partial<StartPolicy>
  /** When workers take over from a dead one. Applies to every worker, in your app or in a process of its own. */
  readonly lease?: Partial<LeasePolicy>
  /** What is recorded of requests with an API key. */
  readonly apiKeys?: Partial<ApiKeyPolicy>
  /** How long history is kept. */
  readonly retention?: Partial<Retention>
  /** Whether members with `view_integrations` alone see the bodies of events and responses. Default true. */
  readonly viewersSeeBodies?: boolean
  /** CIDRs (`10.1.0.0/16`) and host names that webhooks may reach although they are not public. Default none. */
  readonly allowAddresses?: readonly string[]
  /** How webhooks leave your network: a proxy, trusted certificates, a resolver. */
  readonly egress?: EgressOptions
  /** Called once after an endpoint has been disabled because all of its deliveries failed. An error is only logged. */
  readonly onEndpointDisabled?: (endpoint: FailingEndpoint) => void | Promise<void>
  /**
   * Called when every delivery to an endpoint has failed for `delivery.warnAfterMs`, and again a day before it is
   * disabled. Workers call this hook and the next two at least once; if one throws, it is called again with the same
   * `id` for about a day, with a back-off of up to an hour. Default: logged only.
   */
  readonly onEndpointFailing?: (warning: EndpointFailingWarning) => void | Promise<void>
  /** Called when deliveries have failed for the last time, at most once per endpoint and hour. Default: logged only. */
  readonly onDeliveriesExhausted?: (warning: DeliveriesExhaustedWarning) => void | Promise<void>
  /** Called 30 days, 7 days and 1 day before an active API key expires. Default: logged only. */
  readonly onApiKeyExpiring?: (warning: ApiKeyExpiringWarning) => void | Promise<void>
  /**
   * Timeout in milliseconds of `pipeline.signDocumentUrl`, `pipeline.status`, the `on…` hooks, each method of
   * `quotations`, `files.delete`, and each chunk of `files.put`. For `pipeline.start` see `start.callTimeoutMs`.
   * Default 10,000.
   */
  readonly hookTimeoutMs?: number
  /**
   * A pino-style logger; `silentLogger` logs nothing. Default: the logger of the Fastify app that registers the plugin,
   * else warnings and errors go to stderr.
   */
  readonly logger?: Logger
  /**
   * A clock for tests. Everything uses it, including the removal of old data. Do not pass `() => new Date()` in
   * production: a machine with a wrong clock would do damage. Default: the database's time.
   */
  readonly now?: () => Date
}

/** Options that `Settings` has unchanged, except for their defaults. */
const KEPT = [
  'pipeline',
  'productName',
  'viewersSeeBodies',
  'onEndpointDisabled',
  'onEndpointFailing',
  'onDeliveriesExhausted',
  'onApiKeyExpiring',
  'hookTimeoutMs',
] as const

/** The checked options with their defaults, and what is derived from them once. */
export interface Settings extends Required<Pick<IntegrationsOptions, (typeof KEPT)[number] | 'logger'>> {
  /** Of this package: see `INTEGRATIONS_OPTION`. */
  readonly version: string
  readonly events: EventCatalog
  readonly limits: Limits
  readonly delivery: DeliveryPolicy
  readonly start: StartPolicy
  readonly lease: LeasePolicy
  readonly apiKeys: ApiKeyPolicy
  readonly retention: Retention
  readonly keyring: Keyring
  readonly addressGuard: AddressGuard
  readonly egress: Egress
  /** Lends a logger to a host that gave none. Only the first call counts. */
  readonly lendLogger: (logger: Logger) => void
  /** The database's time, or the host's own clock. */
  readonly clock: Clock
  readonly now: () => Date
}

/** What a service works with: the ports that it uses, and the settings. */
export interface Context<Port extends PortName> {
  readonly storage: Ports<Port>
  readonly settings: Settings
}

const isStorage = hasMethods('transaction')
const HOOK = { default: () => {}, check: isFunction, rule: 'must be a function.' } as const

const OPTIONAL_METHOD = { check: isFunction, rule: 'must be a function. It is optional.' } as const

const QUOTATION_METHODS = ['transaction', 'insert', 'update', 'find', 'lock', 'findByProposal'] as const

/** What is optional in them. */
const QUOTATION_OPTIONS = {
  findStalled: OPTIONAL_METHOD,
  findUpdatedAt: OPTIONAL_METHOD,
  erase: OPTIONAL_METHOD,
  cancel: OPTIONAL_METHOD,
  list: OPTIONAL_METHOD,
} satisfies Record<Exclude<keyof HostQuotations, (typeof QUOTATION_METHODS)[number]>, OptionTable[string]>

/** Groups and what has no `check` are checked by what makes them. @public: read by the generator of the reference */
export const OPTIONS = {
  storage: {
    isRequired: true,
    check: isStorage,
    rule: 'is missing: pass drizzleStorage({ connectionString }).',
  },
  otherStorages: {
    check: listOf(isStorage),
    rule: 'must be a list of storages, such as [drizzleStorage({ connectionString })].',
  },
  pipeline: {
    isRequired: true,
    check: hasMethods('start', 'signDocumentUrl'),
    rule: 'needs two functions: start(quote, context) and signDocumentUrl(document).',
    checkInside: (path, pipeline: object) => checkOptionValues(path, PIPELINE_OPTIONS, pipeline),
  },
  events: {
    check: isObject,
    rule: 'must be the result of defineEvents({ … }).',
  },
  quotations: {
    check: hasMethods(...QUOTATION_METHODS),
    rule: (quotations) => `lacks the methods ${missingMethods(quotations).join(', ')}.`,
    checkInside: (path, quotations: object) => checkOptionValues(path, QUOTATION_OPTIONS, quotations),
  },
  files: {
    check: hasMethods('put', 'get', 'delete'),
    rule: 'needs three functions: put(file, bytes), get(file) and delete(files).',
    checkInside: (path, files: object) => checkOptionValues(path, { erase: OPTIONAL_METHOD }, files),
  },
  encryptionKeys: {},
  productName: {
    default: 'Service',
    check: matching(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/),
    rule: 'becomes part of header names: letters, digits and single dashes only.',
  },
  limits: {},
  delivery: {},
  start: {},
  lease: {},
  apiKeys: {},
  retention: {},
  viewersSeeBodies: { default: true },
  allowAddresses: {
    default: [] as readonly string[],
    check: listOf((entry) => typeof entry === 'string'),
    rule: "must be a list of CIDRs and host names, such as ['10.1.0.0/16', 'receiver.internal'].",
  },
  egress: {},
  onEndpointDisabled: HOOK,
  onEndpointFailing: HOOK,
  onDeliveriesExhausted: HOOK,
  onApiKeyExpiring: HOOK,
  hookTimeoutMs: { default: 10_000, ...TIMER },
  logger: {
    check: hasMethods('debug', 'info', 'warn', 'error'),
    rule: 'must have the functions debug, info, warn and error, like pino.',
  },
  now: {
    check: (now: () => unknown) => isFunction(now) && isTime(now()),
    rule: 'must be a function that returns a valid Date.',
  },
} satisfies Record<keyof IntegrationsOptions, OptionTable[string]>

/** What is optional in a pipeline, which may be an object with anything else. */
const PIPELINE_OPTIONS = {
  steps: {
    check: areSteps,
    rule: `must list some of ${STEPS.join(', ')}, in this order, ending with proposal.`,
  },
  status: {
    check: isFunction,
    rule: 'must be a function (quotationId) => status. To use the built-in status, leave it out.',
  },
  cancel: OPTIONAL_METHOD,
} satisfies OptionTable

function missingMethods(quotations: unknown): readonly string[] {
  return QUOTATION_METHODS.filter((name) => !hasMethods(name)(quotations))
}

/** The longest wait between two attempts. */
const MAX_BACKOFF_MS = 365 * 24 * 60 * 60 * 1000

/**
 * Everything except the clock, which has to ask the storage.
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function createSettings(options: IntegrationsOptions): Omit<Settings, 'clock' | 'now'> {
  const checked = completeOptions('createIntegrations', OPTIONS, options)
  const delivery = derived(complete('delivery', DELIVERY_OPTIONS, options.delivery), options.delivery)
  const start = complete('start', START_OPTIONS, options.start)
  const lease = complete('lease', LEASE_OPTIONS, options.lease)
  checkLease('createIntegrations: lease.', lease)
  checkBackoff('delivery', delivery)
  checkBackoff('start', { ...start, backoffFactor: 2 })
  const borrowed = borrowedLogger()
  return {
    ...pick(checked, KEPT),
    version,
    events: createEventCatalog(options.events),
    limits: complete('limits', LIMIT_OPTIONS, options.limits),
    delivery,
    start,
    lease,
    apiKeys: complete('apiKeys', API_KEY_OPTIONS, options.apiKeys),
    retention: complete('retention', retentionOptions(delivery), options.retention),
    keyring: createKeyring(options.encryptionKeys ?? []),
    addressGuard: addressGuard({ allow: checked.allowAddresses }),
    egress: createEgress(options.egress),
    logger: carefulLogger(options.logger ?? borrowed.logger),
    lendLogger: borrowed.lend,
  }
}

/** The given options of a group, with defaults for the rest. */
function complete<Table extends OptionTable>(
  group: string,
  table: Table,
  given: Partial<OptionsOf<NoInfer<Table>>> = {},
): OptionsOf<Table> {
  return completeOptions(`createIntegrations: ${group}`, table, given) as OptionsOf<Table>
}

/** Defaults that follow from other options: without notifications polls are the latency, and a given share does not grow. */
function derived(delivery: DeliveryPolicy, given: Partial<DeliveryPolicy> = {}): DeliveryPolicy {
  const { perEndpoint, perEndpointWhileQuick } = delivery
  return {
    ...delivery,
    pollMs: delivery.notify ? delivery.pollMs : (given.pollMs ?? 250),
    perEndpointWhileQuick: Math.max(
      perEndpoint,
      given.perEndpoint === undefined ? perEndpointWhileQuick : (given.perEndpointWhileQuick ?? 0),
    ),
  }
}

/** The time of the next attempt must be a valid date. */
function checkBackoff(
  group: string,
  policy: { maxAttempts: number; backoffMs: number; backoffFactor: number },
): void {
  const longest = policy.backoffMs * policy.backoffFactor ** Math.max(policy.maxAttempts - 2, 0)
  if (longest <= MAX_BACKOFF_MS) return
  throw new ConfigurationError(
    `createIntegrations: ${group}.backoffMs would grow to more than a year within ${group}.maxAttempts attempts. Lower one of them.`,
  )
}

function areSteps(steps: readonly Step[]): boolean {
  if (!Array.isArray(steps)) return false
  const inOrder = STEPS.filter((step) => steps.includes(step))
  return steps.at(-1) === 'proposal' && inOrder.join() === steps.join()
}
