import type { Source } from '../model/quotation.ts'

/** A reader's position in the feed: the last event it read. */
export interface FeedPosition {
  readonly position: number
  /** The uuid of that event; null at the beginning. */
  readonly eventId: string | null
}

/** Filters of events; null: any. */
export interface FeedFilter {
  readonly types: readonly string[] | null
  readonly source: Source | null
}

interface FeedPart {
  /** How many events it has. */
  readonly count: number
  /** A JSON array of the events, oldest first, byte for byte as recorded. */
  readonly json: string
  /** The end of the page, after events that the filter hid. */
  readonly end: FeedPosition
}

/** An open transaction that has written an event of an organization: the feed of that organization waits for its end. */
interface FeedWriter {
  /** The same each time that the transaction is found. */
  readonly id: string
  /** The process of PostgreSQL that serves it; null for a prepared transaction. */
  readonly pid: number | null
}

/** The events of an organization in one stable order, without samples of tests. */
export interface EventFeedStorage {
  /**
   * Reads up to `limit` events after a position (null: from the oldest). Examines a bounded number of events, so a
   * filter may leave it empty although more follow. An event appears once all transactions that may still write an
   * earlier one of the organization have ended.
   * @returns null if events after that position have been removed
   */
  read(
    organizationId: string,
    after: FeedPosition | null,
    filter: FeedFilter,
    limit: number,
  ): Promise<FeedPart | null>
  /** The position of the newest event that `read` would return. */
  findEnd(organizationId: string): Promise<FeedPosition>
  /**
   * The position for reading on after an event; an earlier one while an open transaction may still commit earlier
   * events. Null: the event is unknown, no longer kept, or of another organization.
   */
  findStart(organizationId: string, eventId: string): Promise<FeedPosition | null>
  /**
   * Finds readers for whom `read` has events after their position, by their index. Readers who are not found have none up
   * to `lookedUpTo` either: if they continue from there, the next look only reads newer events.
   */
  lookForNews(
    readers: readonly { readonly organizationId: string; readonly position: number }[],
  ): Promise<{ readonly found: ReadonlySet<number>; readonly lookedUpTo: number }>
  /** Whether new events would get positions before those of stored ones: see `repair`. */
  isBehind(): Promise<boolean>
  /**
   * If the sequence of positions is behind the stored events, lets it follow them, and moves the events that were recorded
   * since then to new positions.
   * @returns null if nothing was wrong
   */
  repair(): Promise<{ readonly moved: number } | null>
  /** The transactions that any feed waits for. */
  findOpenWriters(): Promise<readonly FeedWriter[]>
}
