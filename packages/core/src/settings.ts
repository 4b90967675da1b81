import { type AddressGuard, addressGuard } from './address-guard.ts'
import { type ApiKeyUses, createApiKeyUses } from './api-key-uses.ts'
import { DEFAULT_DELIVERY_POLICY, type DeliveryPolicy } from './delivery.ts'
import { ConfigurationError } from './errors.ts'
import { createEventCatalog, type EventCatalog } from './event-catalog.ts'
import type { EventDefinitions, NoEvents } from './event-definition.ts'
import type { FailingEndpoint } from './failing-endpoints.ts'
import type { FileStorage } from './file-storage.ts'
import { createKeyring, type EncryptionKey, type Keyring } from './keyring.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { carefulLogger, type Logger, silentLogger } from './logger.ts'
import { DEFAULT_START_POLICY, type QuotePipeline, type StartPolicy } from './quote-pipeline.ts'
import type { Storage } from './storage.ts'

/** What a host gives to `createIntegrations`. */
export interface IntegrationsOptions<Events extends EventDefinitions = NoEvents> {
  readonly storage: Storage
  readonly pipeline: QuotePipeline
  /** Event types of your own, beside those of quotations: what `defineEvents` returned. Default none. */
  readonly events?: Events
  /** Where the bytes of requirements files are kept. Default: in the storage. */
  readonly files?: FileStorage
  /** Encrypt the signing secrets at rest (AES-256-GCM), the newest first. There is no start without one. */
  readonly encryptionKeys: readonly EncryptionKey[]
  /** The name in the webhook headers: `Acme` gives `X-Acme-Signature`. Letters, digits and dashes. Default `Service`. */
  readonly productName?: string
  readonly limits?: Partial<Limits>
  readonly delivery?: Partial<DeliveryPolicy>
  readonly start?: Partial<StartPolicy>
  /** CIDRs (`10.1.0.0/16`) and host names that webhooks may reach although they are not public. Default none. */
  readonly allowAddresses?: readonly string[]
  /**
   * Called when an endpoint was disabled because nothing but failures came of it: tell its owners. Called once, after
   * the change; when it throws, that is logged and no more.
   */
  readonly onEndpointDisabled?: (endpoint: FailingEndpoint) => void | Promise<void>
  /** pino-shaped. Default: silent. */
  readonly logger?: Logger
  /** The clock. Default: the system's. */
  readonly now?: () => Date
}

/** The options, checked and completed, and what is made of them once. */
export interface Settings {
  readonly pipeline: QuotePipeline
  readonly events: EventCatalog
  readonly productName: string
  readonly limits: Limits
  readonly delivery: DeliveryPolicy
  readonly start: StartPolicy
  readonly keyring: Keyring
  readonly addressGuard: AddressGuard
  readonly keyUses: ApiKeyUses
  readonly onEndpointDisabled: (endpoint: FailingEndpoint) => void | Promise<void>
  readonly logger: Logger
  readonly now: () => Date
}

/** @throws ConfigurationError for an option that is missing or wrong, with what was wrong and how to mend it */
export function createSettings(options: IntegrationsOptions<EventDefinitions>): Settings {
  const { productName = 'Service' } = options
  const logger = carefulLogger(options.logger ?? silentLogger)
  if (
    typeof options.pipeline?.start !== 'function' ||
    typeof options.pipeline.signDocumentUrl !== 'function'
  ) {
    throw new ConfigurationError(
      'pipeline needs two functions: start(quote, context) and signDocumentUrl(document).',
    )
  }
  if (!/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(productName)) {
    throw new ConfigurationError(
      'productName becomes part of header names: letters, digits and single dashes only.',
    )
  }
  return {
    pipeline: options.pipeline,
    events: createEventCatalog(options.events),
    productName,
    limits: complete('limits', DEFAULT_LIMITS, options.limits),
    delivery: complete('delivery', DEFAULT_DELIVERY_POLICY, options.delivery),
    start: complete('start', DEFAULT_START_POLICY, options.start),
    keyring: createKeyring(options.encryptionKeys ?? []),
    addressGuard: addressGuard({ allow: [...(options.allowAddresses ?? [])] }),
    keyUses: createApiKeyUses(options.storage, logger),
    onEndpointDisabled: options.onEndpointDisabled ?? (() => {}),
    logger,
    now: options.now ?? (() => new Date()),
  }
}

function complete<T extends object>(group: string, defaults: T, given: Partial<T> = {}): T {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) {
      throw new ConfigurationError(
        `${group}.${name} is not an option. There are: ${Object.keys(defaults).join(', ')}.`,
      )
    }
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new ConfigurationError(`${group}.${name} must be a number, 0 or more.`)
    }
  }
  return { ...defaults, ...given }
}
