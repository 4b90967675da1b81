import type { EndpointHealth, FailingEndpoint } from '../model/webhook-endpoint.ts'

/** The success of deliveries, by endpoint. */
export interface EndpointHealthStorage {
  /** The health of the given endpoints of the organization, including those without deliveries. */
  read(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointHealth>>
  /** Enabled endpoints to which every delivery has failed since this time or longer. */
  findFailing(failingSince: Date, limit: number): Promise<FailingEndpoint[]>
}
