/** What has to be done now and then, by any worker. */
export interface RetentionStorage {
  /** Makes the tables of the coming days. */
  ensurePartitions(): Promise<void>
  /** Counts the attempts of the hours that are over, so that nobody has to read them for a chart. At most once for each hour. */
  countHours(): Promise<void>
  forgetIdempotencyKeys(before: Date): Promise<void>
  /**
   * Removes deliveries of events that happened before `before`, at most `limit`, but none that is being sent.
   * @returns how many were parked, and how many were to be sent
   */
  expireDeliveries(before: Date, limit: number): Promise<{ parked: number; pending: number }>
  /**
   * Removes deliveries whose event is gone, though a worker leased them before `leasedBefore`: no claim returns them, so
   * nobody would ever end them. Somebody else has removed their events.
   */
  removeStrayLeases(leasedBefore: Date): Promise<number>
  /**
   * Drops the days of events and attempts that ended at `before` (the beginning of a day, UTC) or earlier. Waits for
   * nobody longer than 0.1 s, and drops no events that a delivery still needs.
   * @returns how many were dropped, how many rows were removed that belonged to no day, whether something is left because
   * it is in use, and whether something is left because the owner of the database keeps it for longer
   */
  dropHistory(before: Date): Promise<{ days: number; rows: number; isBlocked: boolean; isKept: boolean }>
  /** Forgets replays that ended before then. */
  forgetReplays(before: Date): Promise<void>
  /** At most `limit`. @returns how many */
  removeAuditEntries(before: Date, limit: number): Promise<number>
  /**
   * Takes files from quotations that ended before `endedBefore`, at most `limit`, and gives them up as uploads.
   * @returns how many
   */
  abandonFilesOfEndedQuotations(endedBefore: Date, limit: number, now: Date): Promise<number>
}
