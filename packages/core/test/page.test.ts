import { describe, expect, it } from 'vitest'
import type { List } from '../src/lib/cursor.ts'
import { createKeyring } from '../src/lib/keyring.ts'
import { type PageRequest, readPage } from '../src/lib/page.ts'

const newest = { id: '2027', key: Buffer.alloc(32, 7) }
const older = { id: '2026', key: Buffer.alloc(32, 6) }
const ring = createKeyring([newest])
const here: List = { name: 'api_keys', organizationId: '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e' }

const ids = ['c', 'b', 'a'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-00000000000${letter}`)
const entries = ids.map((id, index) => ({ id, created_at: new Date(3_000 - index), name: id.slice(0, 1) }))

/** A list in memory with the order and bounds of a storage. */
async function list({ after, limit }: PageRequest) {
  const begin = after === null ? 0 : entries.findIndex(({ id }) => id === after.id) + 1
  return entries.slice(begin, begin + limit)
}

describe('readPage', () => {
  it('walks through a list page by page to its end', async () => {
    const first = await readPage(ring, here, { limit: 2 }, list)
    expect(first.items.map(({ name }) => name)).toEqual(['c', 'b'])
    const second = await readPage(ring, here, { limit: 2, cursor: String(first.nextCursor) }, list)
    expect(second.items.map(({ name }) => name)).toEqual(['a'])
    expect(second.nextCursor).toBeNull()
  })

  it('has no next page if the list ends with the page', async () => {
    expect((await readPage(ring, here, { limit: 3 }, list)).nextCursor).toBeNull()
  })

  it('has 50 entries by default', async () => {
    let asked = 0
    await readPage(ring, here, {}, async ({ limit }) => {
      asked = limit
      return []
    })
    expect(asked).toBe(51)
  })

  it('passes the storage the exact time and id of the last entry', async () => {
    const { nextCursor } = await readPage(ring, here, { limit: 1 }, list)
    const seen: PageRequest[] = []
    await readPage(ring, here, { limit: 1, cursor: String(nextCursor) }, async (request) => {
      seen.push(request)
      return []
    })
    expect(seen).toEqual([{ after: { created_at: entries[0]?.created_at, id: ids[0] }, limit: 2 }])
  })

  const cursorOf = async (keyring = ring, of = here) =>
    String((await readPage(keyring, of, { limit: 1 }, list)).nextCursor)

  it.each<[string, List]>([
    ['another list of the organization', { ...here, name: 'audit_log' }],
    [
      'the same list of another organization',
      { ...here, organizationId: '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a' },
    ],
  ])('refuses a cursor of %s', async (_, other) => {
    const cursor = await cursorOf(ring, other)
    await expect(readPage(ring, here, { cursor }, list)).rejects.toMatchObject(REFUSED)
  })

  it('accepts a cursor whatever the case of the organization id', async () => {
    const cursor = await cursorOf()
    const shouted = { ...here, organizationId: here.organizationId.toUpperCase() }
    expect((await readPage(ring, shouted, { cursor }, list)).items.map(({ name }) => name)).toEqual([
      'b',
      'a',
    ])
  })

  it('accepts cursors of an older key while it is in the ring', async () => {
    const cursor = await cursorOf(createKeyring([older]))
    const both = createKeyring([newest, older])
    expect((await readPage(both, here, { cursor }, list)).items).toHaveLength(2)
    await expect(readPage(ring, here, { cursor }, list)).rejects.toMatchObject(REFUSED)
  })

  it('refuses a cursor with one bit changed', async () => {
    const bytes = Buffer.from(await cursorOf(), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const forged = Buffer.from(bytes)
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const cursor = forged.toString('base64url')
      await expect(readPage(ring, here, { cursor }, list)).rejects.toMatchObject(REFUSED)
    }
  })

  it.each([
    ['empty', ''],
    ['text', 'next'],
    ['too short', 'AAAA'],
    ['not base64url', '*'.repeat(54)],
    ['of another length', 'A'.repeat(58)],
    ['a position without a code', 'A'.repeat(32)],
    [
      'of the year 10000',
      Buffer.concat([Buffer.from('0000e677d21fdc00', 'hex'), Buffer.alloc(32)]).toString('base64url'),
    ],
    ['padded', `${'A'.repeat(54)}==`],
  ])('refuses a cursor that is %s', async (_, cursor) => {
    await expect(readPage(ring, here, { cursor }, list)).rejects.toMatchObject(REFUSED)
  })
})

const REFUSED = { code: 'VALIDATION_FAILED', errors: [{ pointer: '?cursor' }] }
