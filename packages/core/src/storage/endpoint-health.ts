import type { EndpointHealth, FailingEndpoint } from '../model/webhook-endpoint.ts'

/** How the deliveries of endpoints go. */
export interface EndpointHealthStorage {
  /** Of all that the organization has of these; an endpoint that was never called is there, too. */
  read(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointHealth>>
  /** Enabled endpoints to which every delivery has failed since then, or for longer. */
  findFailing(failingSince: Date, limit: number): Promise<FailingEndpoint[]>
}
