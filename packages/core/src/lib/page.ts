import { decodeCursor, encodeCursor, type List } from './cursor.ts'
import { invalidField } from './errors.ts'
import type { Keyring } from './keyring.ts'
import { Type } from './type.ts'

/**
 * A page of a list, newest first. `nextCursor` is null on the last page, and only there: a page of deliveries may be short,
 * even empty, where few match among many.
 */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** The last entry before a page. Lists are sorted by time and id. */
export interface Position {
  readonly created_at: Date
  readonly id: string
}

export interface PageRequest {
  readonly after: Position | null
  readonly limit: number
}

/** What a search of bounded length found. */
export interface Found<T> {
  readonly items: readonly T[]
  /** Where it ended before it found enough; null: nothing is left. */
  readonly reached: Position | null
}

/** The query parameters of every paginated list. */
export const PAGE_PARAMETERS = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: 'From the `next` link of the previous page.' }),
  ),
}

/** Of a request that waits for news. */
export const LONGEST_WAIT_SECONDS = 20

export function waitParameter(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_WAIT_SECONDS, default: 0, description }))
}

/** For filters, and reports of a host: a misspelled name must not be ignored. */
export const ONLY_KNOWN = { additionalProperties: false }

/**
 * Reads a page. Asks `read` for one extra entry to find out whether there is a next page.
 * @throws IntegrationError VALIDATION_FAILED for a cursor of another list
 */
export async function readPage<T extends Position>(
  keyring: Keyring,
  list: List,
  { limit = 50, cursor }: { readonly limit?: number; readonly cursor?: string },
  read: (request: PageRequest) => Promise<readonly T[] | Found<T>>,
): Promise<Page<T>> {
  const after = cursor === undefined ? null : positionOf(keyring, list, cursor)
  const answer = await read({ after, limit: limit + 1 })
  const { items: found, reached } = 'reached' in answer ? answer : { items: answer, reached: null }
  const items = found.slice(0, limit)
  const last = found.length > limit ? (items.at(-1) ?? null) : reached
  if (last === null) return { items, nextCursor: null }
  return {
    items,
    nextCursor: encodeCursor(keyring, list, { ordinal: last.created_at.getTime(), id: last.id }),
  }
}

function positionOf(keyring: Keyring, list: List, cursor: string): Position {
  const content = decodeCursor(keyring, list, cursor)
  if (content === null) {
    throw invalidField('?cursor', 'must be from a `next` link of this list')
  }
  return { created_at: new Date(content.ordinal), id: content.id }
}
