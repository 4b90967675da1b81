import { type Static, Type } from '@sinclair/typebox'
import { validationFailed } from './errors.ts'
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

/** Which list a page is of. A cursor is good for that one alone. */
export interface List {
  readonly name: 'api_keys' | 'audit_log' | 'delivery_attempts' | 'quotations'
  readonly organizationId: string
}

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
  const context = `cursor\0${list.name}\0${list.organizationId.toLowerCase()}`
  const after = cursor === undefined ? null : decodeCursor(keyring, context, cursor)
  const found = await read({ after, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const nextCursor = found.length > limit && last !== undefined ? encodeCursor(keyring, context, last) : null
  return { items, nextCursor }
}

const TIME_BYTES = 8
const POSITION_BYTES = TIME_BYTES + 16

/** A position is no secret. It is signed so that nobody can ask for one that the list did not give. */
function encodeCursor(keyring: Keyring, context: string, { created_at, id }: Position): string {
  const position = Buffer.alloc(POSITION_BYTES)
  position.writeBigInt64BE(BigInt(created_at.getTime()))
  position.write(id.replaceAll('-', ''), TIME_BYTES, 'hex')
  return Buffer.concat([position, keyring.sign(position, context)]).toString('base64url')
}

function decodeCursor(keyring: Keyring, context: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(0, POSITION_BYTES)
  const isOurs =
    bytes.toString('base64url') === cursor &&
    keyring.isSigned(position, context, bytes.subarray(POSITION_BYTES))
  if (!isOurs) {
    throw validationFailed([
      { pointer: '?cursor', detail: 'must be taken from a `next` link of this very list' },
    ])
  }
  const id = position
    .toString('hex', TIME_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { created_at: new Date(Number(position.readBigInt64BE())), id }
}
