import { type Static, Type } from '@sinclair/typebox'
import { decodeCursor, encodeCursor, type List, refuseCursor } from './cursor.ts'
import type { Keyring } from './keyring.ts'

/** Part of a list, the newest first. `nextCursor` asks for what follows; null: this is the end. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Where a page begins: after the entry that was made then and has this id. Lists are ordered by both. */
export interface Position {
  readonly created_at: Date
  readonly id: string
}

/** What a storage is asked for. */
export interface PageRequest {
  readonly after: Position | null
  readonly limit: number
}

/** The query parameters of every list that has pages: spread them into the schema of the query. */
export const PAGE_PARAMETERS = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: 'Taken from the `next` link of the page before.' }),
  ),
}
const PageQuery = Type.Object(PAGE_PARAMETERS)

/**
 * Reads one page. `read` is asked for one entry more than fits, which tells whether there is a next page.
 * @throws IntegrationError VALIDATION_FAILED for a cursor that this list did not give
 */
export async function readPage<T extends Position>(
  keyring: Keyring,
  list: List,
  { limit = 50, cursor }: Static<typeof PageQuery>,
  read: (request: PageRequest) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const after = cursor === undefined ? null : positionOf(keyring, list, cursor)
  const cursorTo = ({ created_at, id }: Position) =>
    encodeCursor(keyring, list, { ordinal: created_at.getTime(), id })
  const found = await read({ after, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const nextCursor = found.length > limit && last !== undefined ? cursorTo(last) : null
  return { items, nextCursor }
}

function positionOf(keyring: Keyring, list: List, cursor: string): Position {
  const { ordinal, id } = decodeCursor(keyring, list, cursor) ?? refuseCursor('cursor')
  return { created_at: new Date(ordinal), id }
}
