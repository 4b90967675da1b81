/** Regular maintenance, by any worker. */
export interface RetentionStorage {
  /** Creates the tables of the coming days. */
  ensurePartitions(): Promise<void>
  /** Counts the attempts of past hours for charts, at most once per hour. */
  countHours(): Promise<void>
  forgetIdempotencyKeys(before: Date): Promise<void>
  /**
   * Removes at most `limit` deliveries of events older than `before`, but none that is being sent.
   * @returns how many were parked and how many were pending
   */
  expireDeliveries(before: Date, limit: number): Promise<{ parked: number; pending: number }>
  /**
   * Removes deliveries leased before `leasedBefore` whose event no longer exists: claims skip them, so they would never
   * end. Someone else has removed their events.
   */
  removeStrayLeases(leasedBefore: Date): Promise<number>
  /**
   * Drops days of events and attempts that ended at `before` (the start of a UTC day) or earlier. Waits at most 0.1 s
   * for a lock, and keeps events that a delivery still needs.
   * @returns how many days were dropped, how many rows without a day were removed, and whether something was kept
   * because it is in use or because the owner of the database wants it
   */
  dropHistory(before: Date): Promise<{ days: number; rows: number; isBlocked: boolean; isKept: boolean }>
  /** Removes replays that ended before this time. */
  forgetReplays(before: Date): Promise<void>
  /** At most `limit`. @returns how many */
  removeAuditEntries(before: Date, limit: number): Promise<number>
  /**
   * Abandons at most `limit` files of quotations that ended before `endedBefore`.
   * @returns how many
   */
  abandonFilesOfEndedQuotations(endedBefore: Date, limit: number, now: Date): Promise<number>
}
