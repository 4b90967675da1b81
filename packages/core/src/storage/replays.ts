import type { Replay, ReplayCount } from '../model/replay.ts'

/** Replays: orders to send an endpoint what it missed. */
export interface ReplayStorage {
  /** @returns false, and writes nothing, while a replay of the endpoint is running */
  insert(
    organizationId: string,
    replay: Pick<Replay, 'id' | 'endpoint_id' | 'since' | 'until' | 'status'>,
    now: Date,
  ): Promise<boolean>
  /** Looks at up to `limit` of the events that such a replay would be about, the oldest first. */
  count(
    organizationId: string,
    replay: Pick<Replay, 'endpoint_id' | 'since' | 'until' | 'status'>,
    limit: number,
  ): Promise<ReplayCount>
  find(organizationId: string, endpointId: string, id: string): Promise<Replay | null>
  /**
   * Moves one replay on by up to `limit` events: makes the deliveries and keeps the position, all or nothing.
   * @returns false when there is none to move
   */
  advance(limit: number, now: Date): Promise<boolean>
}
