import type { Keyring } from './keyring.ts'

/** The list that a cursor belongs to. It is valid for no other. */
export interface List {
  readonly name: 'api_keys' | 'audit_log' | 'delivery_attempts' | 'events' | 'quotations'
  readonly organizationId: string
}

export interface CursorContent {
  readonly ordinal: number
  readonly id: string
}

const ORDINAL_BYTES = 8
const CONTENT_BYTES = ORDINAL_BYTES + 16

/**
 * A position is not a secret. It is signed so that clients can only use cursors we issued. In hex, because in base64url
 * one in 2,000 looked like an API key (`pk_…`), and its link was refused.
 */
export function encodeCursor(keyring: Keyring, list: List, { ordinal, id }: CursorContent): string {
  const content = Buffer.alloc(CONTENT_BYTES)
  content.writeBigInt64BE(BigInt(ordinal))
  content.write(id.replaceAll('-', ''), ORDINAL_BYTES, 'hex')
  return Buffer.concat([content, keyring.sign(content, contextOf(list))]).toString('hex')
}

/** @returns null if it is not a cursor of this list */
export function decodeCursor(keyring: Keyring, list: List, cursor: string): CursorContent | null {
  const bytes = Buffer.from(cursor, 'hex')
  const content = bytes.subarray(0, CONTENT_BYTES)
  const isOurs =
    bytes.toString('hex') === cursor &&
    keyring.isSigned(content, contextOf(list), bytes.subarray(CONTENT_BYTES))
  if (!isOurs) return null
  const id = content
    .toString('hex', ORDINAL_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { ordinal: Number(content.readBigInt64BE()), id }
}

function contextOf({ name, organizationId }: List): string {
  return `cursor\0${name}\0${organizationId.toLowerCase()}`
}
