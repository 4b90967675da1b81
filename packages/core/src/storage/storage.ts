import type { CallWatcher } from '../lib/outage.ts'
import type { ApiKeyStorage } from './api-keys.ts'
import type { AuditStorage } from './audit-log.ts'
import type { DeliveryStorage, EventStorage } from './deliveries.ts'
import type { DeliveryLogStorage } from './delivery-log.ts'
import type { EndpointHealthStorage } from './endpoint-health.ts'
import type { ErasureStorage } from './erasure.ts'
import type { EventFeedStorage } from './event-feed.ts'
import type { ExportStorage } from './export.ts'
import type { FileStorage } from './files.ts'
import type { InspectionStorage } from './inspection.ts'
import type { PipelineStartStorage } from './pipeline-starts.ts'
import type { QuotationStorage } from './quotations.ts'
import type { ReplayStorage } from './replays.ts'
import type { RetentionStorage } from './retention.ts'
import type { SigningSecretStorage } from './signing-secrets.ts'
import type { TelemetryStorage } from './telemetry.ts'
import type { TestDeliveryStorage } from './test-deliveries.ts'
import type { UploadStorage } from './uploads.ts'
import type { WarningStorage } from './warnings.ts'
import type { WebhookEndpointStorage } from './webhook-endpoints.ts'
import type { ClockStorage, WorkerStorage } from './workers.ts'

/**
 * Persists everything, with a port for each noun. Methods have intent-revealing names and check their own
 * preconditions; all that touch an organization's data take its id. `Transaction` is the type of a host's transaction.
 */
export interface Storage<Transaction = unknown> {
  readonly apiKeys: ApiKeyStorage
  readonly auditLog: AuditStorage
  readonly quotations: QuotationStorage
  readonly pipelineStarts: PipelineStartStorage
  readonly uploads: UploadStorage
  /** The default file storage. */
  readonly files: FileStorage
  readonly webhookEndpoints: WebhookEndpointStorage
  readonly signingSecrets: SigningSecretStorage
  readonly endpointHealth: EndpointHealthStorage
  readonly warnings: WarningStorage
  readonly events: EventStorage
  readonly eventFeed: EventFeedStorage
  readonly deliveries: DeliveryStorage
  readonly deliveryLog: DeliveryLogStorage
  readonly replays: ReplayStorage
  readonly testDeliveries: TestDeliveryStorage
  readonly workers: WorkerStorage
  readonly clock: ClockStorage
  readonly telemetry: TelemetryStorage
  readonly retention: RetentionStorage
  readonly erasure: ErasureStorage
  readonly exports: ExportStorage
  readonly inspection: InspectionStorage
  /**
   * The same storage in a transaction of the host, which can roll it back.
   * @param options.notify false: the workers find its work when they poll. Default true.
   */
  within(transaction: Transaction, options?: { readonly notify?: boolean }): Storage<Transaction>
  /** Runs `work` in a transaction, or in the host's if bound. */
  transaction<T>(work: (storage: Storage<Transaction>) => Promise<T>): Promise<T>
  /** Reports every later call on connections of our own, except those whose caller reports failures. */
  watch(watcher: CallWatcher): void
  close(): Promise<void>
}

export type PortName = Exclude<keyof Storage, 'within' | 'transaction' | 'watch' | 'close'>

/** These ports, also in a transaction. */
export type Ports<Port extends PortName> = Pick<Storage, Port> & {
  transaction<T>(work: (ports: Pick<Storage, Port>) => Promise<T>): Promise<T>
}
