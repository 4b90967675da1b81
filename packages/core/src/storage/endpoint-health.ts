import type { FailingEndpoint, WebhookEndpoint } from '../model/webhook-endpoint.ts'

/** What deliveries tell about an endpoint. A pause may be over. */
export type EndpointCondition = Pick<WebhookEndpoint, 'health' | 'paused_until'>

/** The success of deliveries, by endpoint. */
export interface EndpointHealthStorage {
  /** The condition of the given endpoints of the organization, including those without deliveries. */
  read(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointCondition>>
  /** Enabled endpoints to which every delivery has failed since this time or longer. */
  findFailing(failingSince: Date, limit: number): Promise<FailingEndpoint[]>
}
