import type { EncryptedSecret } from '../lib/keyring.ts'
import type { WebhookEndpoint } from '../model/webhook-endpoint.ts'

/** An endpoint as it is stored: its health is read apart. */
export type StoredWebhookEndpoint = Omit<WebhookEndpoint, 'health'>

/** The fields of an endpoint that a change sets. */
export type WebhookEndpointChange = Partial<
  Pick<
    WebhookEndpoint,
    'name' | 'url' | 'description' | 'events' | 'trigger_mode' | 'ordering' | 'is_enabled' | 'disabled_reason'
  >
> & {
  readonly headers?: Pick<WebhookEndpoint, 'header_names'> & { readonly encrypted: EncryptedSecret | null }
}

export interface WebhookEndpointStorage {
  /** @returns false, and writes nothing, when the organization already has `maximum` endpoints */
  insert(
    endpoint: StoredWebhookEndpoint,
    encrypted: { secret: EncryptedSecret; headers: EncryptedSecret | null },
    maximum: number,
  ): Promise<boolean>
  /** All that are not deleted, the oldest first. */
  list(organizationId: string): Promise<StoredWebhookEndpoint[]>
  /** null: unknown, deleted, or of another organization. */
  find(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** The same, and nobody else changes it before the transaction ends. */
  lock(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** The headers of an endpoint that was locked; null: it has none. */
  findHeaders(organizationId: string, id: string): Promise<EncryptedSecret | null>
  /** Whether the organization has the endpoint, or had it before it was deleted. */
  had(organizationId: string, id: string): Promise<boolean>
  /** The names of endpoints, deleted ones too, by their ids. Those of another organization are not in it. */
  names(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Changes an endpoint that was locked. One that gets disabled has its pending deliveries parked; one that gets enabled begins anew to be healthy. */
  update(
    organizationId: string,
    id: string,
    change: WebhookEndpointChange,
    now: Date,
  ): Promise<StoredWebhookEndpoint>
  /** Deletes, softly, an endpoint that was locked, and parks its pending deliveries. Its secrets and headers are erased. */
  delete(organizationId: string, id: string, now: Date): Promise<StoredWebhookEndpoint>
  /** Gives a new secret to an endpoint that was locked. The one before signs too until `previousUntil` (null: no more). */
  rotateSecret(
    organizationId: string,
    id: string,
    rotation: { secret: EncryptedSecret; hint: string; previousUntil: Date | null },
    now: Date,
  ): Promise<StoredWebhookEndpoint>
}
