import type { EncryptedSecret } from '../lib/keyring.ts'
import type { WebhookEndpoint } from '../model/webhook-endpoint.ts'

/** A stored endpoint, without its health and its pause. Its previous secrets include those whose overlap is over. */
export type StoredWebhookEndpoint = Omit<
  WebhookEndpoint,
  'health' | 'paused_until' | 'previous_secret_expires_at'
>

export type WebhookEndpointChange = Partial<
  Pick<
    WebhookEndpoint,
    'name' | 'url' | 'description' | 'events' | 'trigger_mode' | 'ordering' | 'is_enabled' | 'disabled_reason'
  >
> & {
  readonly headers?: Pick<WebhookEndpoint, 'header_names'> & { readonly encrypted: EncryptedSecret | null }
  /** The URL moves to another origin, which has asked for no pause. */
  readonly ends_pause?: boolean
}

export interface WebhookEndpointStorage {
  /** @returns false, without writing, if the organization already has `maximum` endpoints */
  insert(
    endpoint: StoredWebhookEndpoint,
    encrypted: { secret: EncryptedSecret; headers: EncryptedSecret | null },
    maximum: number,
  ): Promise<boolean>
  /** All endpoints, oldest first, without deleted ones. */
  list(organizationId: string): Promise<StoredWebhookEndpoint[]>
  /** null: unknown, deleted, or of another organization. */
  find(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** The same, and locks it until the transaction ends. */
  lock(organizationId: string, id: string): Promise<StoredWebhookEndpoint | null>
  /** The headers of a locked endpoint; null: none. */
  findHeaders(organizationId: string, id: string): Promise<EncryptedSecret | null>
  /** Whether the organization has the endpoint, even a deleted one. */
  had(organizationId: string, id: string): Promise<boolean>
  /** The names of the organization's endpoints by id, including deleted ones. */
  names(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Changes a locked endpoint. Disabling parks its pending deliveries; enabling resets its health. Enabling parks what is
   * left of them, and a new order applies to waiting deliveries: of a long backlog to the first ones, and to the rest with
   * `deliveries.catchUp`. Nothing is claimed until it applies to all of them.
   */
  update(
    organizationId: string,
    id: string,
    change: WebhookEndpointChange,
    now: Date,
  ): Promise<StoredWebhookEndpoint>
  /** Soft-deletes a locked endpoint, parks its pending deliveries, and erases its secrets and headers. */
  delete(organizationId: string, id: string, now: Date): Promise<StoredWebhookEndpoint>
  /**
   * Sets a new secret of a locked endpoint. The one before also signs until `previousUntil` (null: not at all), and earlier
   * ones until their own ends, MAX_PREVIOUS_SECRETS in all.
   */
  rotateSecret(
    organizationId: string,
    id: string,
    rotation: { secret: EncryptedSecret; hint: string; previousUntil: Date | null },
    now: Date,
  ): Promise<StoredWebhookEndpoint>
}
