/** Regular maintenance, by any worker. */
export interface RetentionStorage {
  /** Counts the attempts of past hours for charts, at most once per hour. */
  countHours(): Promise<void>
  forgetIdempotencyKeys(before: Date): Promise<void>
  /**
   * Removes at most `limit` deliveries of events older than `before`, but none that is being sent. Those that waited for
   * one of them are due at `now`.
   * @returns how many were parked and how many were pending
   */
  expireDeliveries(before: Date, limit: number, now: Date): Promise<{ parked: number; pending: number }>
  /**
   * Removes deliveries leased before `leasedBefore` whose event no longer exists: claims skip them, so they would never
   * end. Someone else has removed their events.
   */
  removeStrayLeases(leasedBefore: Date): Promise<number>
  /**
   * Removes events and attempts from before this time, but no event that a delivery still needs. Does nothing while
   * another process does it.
   * @returns how many, and whether more are kept because the owner of the database wants it
   */
  removeHistory(before: Date): Promise<{ events: number; attempts: number; isKept: boolean }>
  /** Removes the uses of keys from before this time. */
  forgetKeyUses(before: Date): Promise<void>
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
