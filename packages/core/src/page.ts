import { type Static, Type } from '@sinclair/typebox'
import { validationFailed } from './errors.ts'

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
 * Reads one page. `list` is asked for one entry more than fits, which tells whether there is a next page.
 * @throws IntegrationError VALIDATION_FAILED for a cursor that we did not make
 */
export async function readPage<T extends Position>(
  { limit = 50, cursor }: Static<typeof PageQuery>,
  list: (request: PageRequest) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const after = cursor === undefined ? null : decodeCursor(cursor)
  const found = await list({ after, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: found.length > limit && last !== undefined ? encodeCursor(last) : null }
}

/** A position is no secret and gives no access: in the list of another organization it is a point in time, no more. */
function encodeCursor({ created_at, id }: Position): string {
  const bytes = Buffer.alloc(24)
  bytes.writeBigUInt64BE(BigInt(created_at.getTime()))
  bytes.write(id.replaceAll('-', ''), 8, 'hex')
  return bytes.toString('base64url')
}

const LATEST = 8_640_000_000_000_000n

function decodeCursor(cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== 24 || bytes.toString('base64url') !== cursor || bytes.readBigUInt64BE() > LATEST) {
    throw validationFailed([{ pointer: '?cursor', detail: 'must be taken from a `next` link' }])
  }
  const id = bytes.toString('hex', 8).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { created_at: new Date(Number(bytes.readBigUInt64BE())), id }
}
