import type { Replay, ReplayCount } from '../model/replay.ts'

/** What to replay. Without a type: events of all. */
export type ReplayOrder = Pick<Replay, 'endpoint_id' | 'since' | 'until' | 'status'> & {
  readonly event_type?: string | null
}

/** Replays: orders to send missed events to an endpoint again. */
export interface ReplayStorage {
  /** @returns false, without writing, if the endpoint already has a running replay */
  insert(organizationId: string, replay: ReplayOrder & Pick<Replay, 'id'>, now: Date): Promise<boolean>
  /** Counts up to `limit` of the events such a replay would send, oldest first. */
  count(organizationId: string, replay: ReplayOrder, limit: number): Promise<ReplayCount>
  find(organizationId: string, endpointId: string, id: string): Promise<Replay | null>
  /** The newest first. */
  list(organizationId: string, endpointId: string, limit: number): Promise<Replay[]>
  /** @returns whether it was running until now */
  stop(organizationId: string, endpointId: string, id: string, now: Date): Promise<boolean>
  /**
   * Advances one replay by up to `limit` events: creates the deliveries and stores the position, all or nothing.
   * @returns false if there is none
   */
  advance(limit: number, now: Date): Promise<boolean>
}
