import type { Source } from '../model/quotation.ts'

/** Where a reader of the feed is: at the event that it saw last. */
export interface FeedPosition {
  readonly position: number
  /** The uuid of that event; null at the beginning, before any. */
  readonly eventId: string | null
}

/** Which events are wanted; null: any. */
export interface FeedFilter {
  readonly types: readonly string[] | null
  readonly source: Source | null
}

/** A part of the feed. */
export interface FeedPart {
  /** The bodies of the events, as they were recorded, the oldest first. */
  readonly bodies: readonly string[]
  /** Where it ends: events that the filter hid are behind it. */
  readonly end: FeedPosition
}

/** The events of an organization in one order that never changes, without samples of tests. */
export interface EventFeedStorage {
  /**
   * Reads up to `limit` events after a position (null: from the oldest that is kept). It looks at a bounded number of events,
   * so that a filter may leave it empty though there are more. An event is there once every transaction that may still write
   * an earlier one of the organization has ended.
   * @returns null when events of the organization after that position are gone
   */
  read(
    organizationId: string,
    after: FeedPosition | null,
    filter: FeedFilter,
    limit: number,
  ): Promise<FeedPart | null>
  /** The position of the newest event that `read` would return. */
  findEnd(organizationId: string): Promise<FeedPosition>
  /** The position of an event; null: unknown, no longer kept, or of another organization. */
  findPosition(organizationId: string, eventId: string): Promise<FeedPosition | null>
  /** Which of these readers may have something to read: their indices. One that waits for an open transaction is among them. */
  findReadersWithNews(
    readers: readonly { readonly organizationId: string; readonly position: number }[],
  ): Promise<ReadonlySet<number>>
}
