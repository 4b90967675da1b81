import type { FileStorage } from './files/file-storage.ts'
import { type AddressGuard, addressGuard } from './lib/address-guard.ts'
import type { Clock } from './lib/clock.ts'
import { ConfigurationError } from './lib/errors.ts'
import { createKeyring, type EncryptionKey, type Keyring } from './lib/keyring.ts'
import { borrowedLogger, carefulLogger, type Logger } from './lib/logger.ts'
import {
  checkNumber,
  checkOptionNames,
  defaultsOf,
  givenOptions,
  MAX_TIMER_MS,
  type NumberOption,
  type OptionTable,
} from './lib/option-check.ts'
import { DELIVERY_OPTIONS, type DeliveryPolicy } from './model/delivery.ts'
import { createEventCatalog, type EventCatalog } from './model/event-catalog.ts'
import type { EventDefinitions, NoEvents } from './model/event-definition.ts'
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
import type { HostQuotations } from './storage/host-quotations.ts'
import type { Storage } from './storage/storage.ts'

/** What a host gives to `createIntegrations`. */
export interface IntegrationsOptions<Events extends EventDefinitions = NoEvents, Transaction = unknown> {
  /** Where everything is kept: what `drizzleStorage` returned. */
  readonly storage: Storage<Transaction>
  /** Your quote pipeline. */
  readonly pipeline: QuotePipeline
  /** Event types of your own, beside those of quotations: what `defineEvents` returned. Default none. */
  readonly events?: Events
  /** Quotations and proposals in tables of your own, in the same database. Default: in the storage. */
  readonly quotations?: HostQuotations
  /** Where the bytes of requirements files are kept. Default: in the storage. */
  readonly files?: FileStorage
  /** Encrypt the signing secrets and headers of endpoints at rest (AES-256-GCM), the newest first. There is no start without one. */
  readonly encryptionKeys: readonly EncryptionKey[]
  /** The name in the webhook headers: `Acme` gives `X-Acme-Signature`. Letters, digits and dashes. Default `Service`. */
  readonly productName?: string
  /** What a client may send. */
  readonly limits?: Partial<Limits>
  /** How deliveries are made. */
  readonly delivery?: Partial<DeliveryPolicy>
  /** How starts of the pipeline are repeated. */
  readonly start?: Partial<StartPolicy>
  /** How long history is kept. */
  readonly retention?: Partial<Retention>
  /** CIDRs (`10.1.0.0/16`) and host names that webhooks may reach although they are not public. Default none. */
  readonly allowAddresses?: readonly string[]
  /**
   * Called when an endpoint was disabled because all of its deliveries failed: tell its owners. Called once, after
   * the change; when it throws, that is logged and no more.
   */
  readonly onEndpointDisabled?: (endpoint: FailingEndpoint) => void | Promise<void>
  /**
   * Called when every delivery to an endpoint has failed for `delivery.warnAfterMs`, and again a day before it is disabled.
   * Like the two hooks below it is called at least once: if it throws, again with the same `id`, after waits that grow to
   * an hour, for about a day. Workers call it. Default: the warning is only logged.
   */
  readonly onEndpointFailing?: (warning: EndpointFailingWarning) => void | Promise<void>
  /** Called when deliveries were given up after their last attempt: once for an endpoint and an hour. Default: logged. */
  readonly onDeliveriesExhausted?: (warning: DeliveriesExhaustedWarning) => void | Promise<void>
  /** Called 30 days, 7 days and 1 day before an active API key expires. Default: logged. */
  readonly onApiKeyExpiring?: (warning: ApiKeyExpiringWarning) => void | Promise<void>
  /**
   * Milliseconds that a hook may take: `pipeline.signDocumentUrl`, `pipeline.status`, each hook whose
   * name begins with `on`, methods of `quotations`, `files.delete`, and `files.put` for each chunk. Default 10,000.
   * A call of `pipeline.start` has its own limit: `start.callTimeoutMs`.
   */
  readonly hookTimeoutMs?: number
  /**
   * pino-shaped. Default: that of the Fastify app which registers the plugin, also for a worker of the same process; where
   * that app has none, or there is no app, warnings and errors go to stderr. `silentLogger` is silent.
   */
  readonly logger?: Logger
  /**
   * A clock of your own, for tests: it is obeyed in everything, the removal of old data included. Default: the database's
   * time. Do not pass `() => new Date()`: a machine whose clock is wrong would then do harm.
   */
  readonly now?: () => Date
}

/** The options, checked and completed, and what is made of them once. */
export interface Settings {
  readonly pipeline: QuotePipeline
  readonly events: EventCatalog
  readonly productName: string
  readonly limits: Limits
  readonly delivery: DeliveryPolicy
  /** False where the quotations of the host offer no list. */
  readonly listsQuotations: boolean
  readonly start: StartPolicy
  readonly retention: Retention
  readonly keyring: Keyring
  readonly addressGuard: AddressGuard
  readonly onEndpointDisabled: (endpoint: FailingEndpoint) => void | Promise<void>
  readonly onEndpointFailing: (warning: EndpointFailingWarning) => void | Promise<void>
  readonly onDeliveriesExhausted: (warning: DeliveriesExhaustedWarning) => void | Promise<void>
  readonly onApiKeyExpiring: (warning: ApiKeyExpiringWarning) => void | Promise<void>
  readonly hookTimeoutMs: number
  readonly logger: Logger
  /** Lends a logger to a host that gave none. The first one stays. */
  readonly lendLogger: (logger: Logger) => void
  /** The time: the database's, or that of the host's own clock. */
  readonly clock: Clock
  /** `clock.now`. */
  readonly now: () => Date
}

const OPTION_NAMES = Object.keys({
  storage: true,
  pipeline: true,
  events: true,
  quotations: true,
  files: true,
  encryptionKeys: true,
  productName: true,
  limits: true,
  delivery: true,
  start: true,
  retention: true,
  allowAddresses: true,
  onEndpointDisabled: true,
  onEndpointFailing: true,
  onDeliveriesExhausted: true,
  onApiKeyExpiring: true,
  hookTimeoutMs: true,
  logger: true,
  now: true,
} satisfies Record<keyof IntegrationsOptions, true>)

/** No wait between two tries is longer. */
const MAX_BACKOFF_MS = 365 * 24 * 60 * 60 * 1000

/**
 * All but the clock, which has to ask the storage.
 * @throws ConfigurationError for an option that is missing, unknown or wrong, with what was wrong and how to mend it
 */
export function createSettings(
  options: IntegrationsOptions<EventDefinitions>,
): Omit<Settings, 'clock' | 'now'> {
  checkOptionNames('createIntegrations', options, OPTION_NAMES)
  const { storage, pipeline, encryptionKeys = [], productName = 'Service', allowAddresses = [] } = options
  const { hookTimeoutMs = 10_000 } = options
  const hooks = checkHooks(options)
  const { events, files, now } = options
  const borrowed = borrowedLogger()
  const { logger: given = borrowed.logger } = options
  expect(hasMethods(storage, 'transaction'), 'storage is missing: pass drizzleStorage({ connectionString }).')
  expect(
    hasMethods(pipeline, 'start', 'signDocumentUrl'),
    'pipeline needs two functions: start(quote, context) and signDocumentUrl(document).',
  )
  expect(
    pipeline.steps === undefined || areSteps(pipeline.steps),
    `pipeline.steps must be some of ${STEPS.join(', ')}, in this order, the last of them proposal.`,
  )
  expect(
    pipeline.status === undefined || typeof pipeline.status === 'function',
    'pipeline.status must be a function (quotationId) => status, or be left out.',
  )
  expect(
    events === undefined || (typeof events === 'object' && events !== null && !Array.isArray(events)),
    'events must be what defineEvents({ … }) returned.',
  )
  expect(
    files === undefined || hasMethods(files, 'put', 'get', 'delete'),
    'files needs three functions: put(file, bytes), get(file) and delete(files).',
  )
  expect(
    typeof productName === 'string' && /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(productName),
    'productName becomes part of header names: letters, digits and single dashes only.',
  )
  expect(
    Array.isArray(allowAddresses) && allowAddresses.every((entry) => typeof entry === 'string'),
    "allowAddresses must be a list of CIDRs and host names, as ['10.1.0.0/16', 'receiver.internal'].",
  )
  expect(
    hasMethods(given, 'debug', 'info', 'warn', 'error'),
    'logger needs the functions debug, info, warn and error, as those of pino.',
  )
  expect(
    now === undefined || (typeof now === 'function' && isTime(now())),
    'now must be a function that returns a Date: () => new Date().',
  )
  checkNumber('createIntegrations: hookTimeoutMs', hookTimeoutMs, { min: 1, max: MAX_TIMER_MS })
  const delivery = complete('delivery', DELIVERY_OPTIONS, options.delivery)
  const start = complete('start', START_OPTIONS, options.start)
  checkBackoff('delivery', delivery)
  checkBackoff('start', { ...start, backoffFactor: 2 })
  const logger = carefulLogger(given)
  return {
    pipeline,
    events: createEventCatalog(events),
    productName,
    limits: complete('limits', LIMIT_OPTIONS, options.limits),
    delivery,
    listsQuotations: options.quotations === undefined || typeof options.quotations?.list === 'function',
    start,
    retention: complete('retention', retentionOptions(delivery), options.retention),
    keyring: createKeyring(encryptionKeys),
    addressGuard: addressGuard({ allow: allowAddresses }),
    ...hooks,
    hookTimeoutMs,
    logger,
    lendLogger: borrowed.lend,
  }
}

/** The hooks that tell the host of something; one that was not given does nothing. */
function checkHooks(options: IntegrationsOptions<EventDefinitions>) {
  const ignore = () => {}
  const {
    onEndpointDisabled = ignore,
    onEndpointFailing = ignore,
    onDeliveriesExhausted = ignore,
    onApiKeyExpiring = ignore,
  } = options
  const hooks = { onEndpointDisabled, onEndpointFailing, onDeliveriesExhausted, onApiKeyExpiring }
  for (const [name, hook] of Object.entries(hooks)) {
    expect(typeof hook === 'function', `${name} must be a function.`)
  }
  return hooks
}

/** The options of a group over their defaults. */
function complete<T extends object>(group: string, table: OptionTable<T>, given: Partial<T> = {}): T {
  checkOptionNames(`createIntegrations: ${group}`, given, Object.keys(table))
  const options = givenOptions(given)
  for (const [name, value] of Object.entries(options)) {
    const option: { readonly default: boolean } | NumberOption = table[name as keyof T]
    if ('min' in option) checkNumber(`createIntegrations: ${group}.${name}`, value, option)
    else expect(typeof value === 'boolean', `${group}.${name} must be true or false.`)
  }
  return { ...defaultsOf(table), ...options }
}

/** The time of the next try must stay a time. */
function checkBackoff(
  group: string,
  policy: { maxAttempts: number; backoffMs: number; backoffFactor: number },
): void {
  const longest = policy.backoffMs * policy.backoffFactor ** Math.max(policy.maxAttempts - 2, 0)
  expect(
    longest <= MAX_BACKOFF_MS,
    `${group}.backoffMs grows to more than a year within ${group}.maxAttempts: lower one of them.`,
  )
}

function hasMethods(value: unknown, ...names: string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  )
}

function areSteps(steps: readonly Step[]): boolean {
  if (!Array.isArray(steps)) return false
  const inOrder = STEPS.filter((step) => steps.includes(step))
  return steps.at(-1) === 'proposal' && inOrder.join() === steps.join()
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ConfigurationError(`createIntegrations: ${message}`)
}
