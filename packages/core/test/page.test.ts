import { describe, expect, it } from 'vitest'
import { type PageRequest, readPage } from '../src/page.ts'

const ids = ['c', 'b', 'a'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-00000000000${letter}`)
const entries = ids.map((id, index) => ({ id, created_at: new Date(3_000 - index), name: id.slice(0, 1) }))

/** A list in memory that keeps to the order and the bounds that a storage keeps to. */
async function list({ after, limit }: PageRequest) {
  const begin = after === null ? 0 : entries.findIndex(({ id }) => id === after.id) + 1
  return entries.slice(begin, begin + limit)
}

describe('readPage', () => {
  it('walks through a list, page after page, to its end', async () => {
    const first = await readPage({ limit: 2 }, list)
    expect(first.items.map(({ name }) => name)).toEqual(['c', 'b'])
    const second = await readPage({ limit: 2, cursor: String(first.nextCursor) }, list)
    expect(second.items.map(({ name }) => name)).toEqual(['a'])
    expect(second.nextCursor).toBeNull()
  })

  it('has no next page when the list ends with the page', async () => {
    expect((await readPage({ limit: 3 }, list)).nextCursor).toBeNull()
  })

  it('holds 50 entries unless told otherwise', async () => {
    let asked = 0
    await readPage({}, async ({ limit }) => {
      asked = limit
      return []
    })
    expect(asked).toBe(51)
  })

  it('gives a storage back exactly the time and the id that the page ended with', async () => {
    const { nextCursor } = await readPage({ limit: 1 }, list)
    const seen: PageRequest[] = []
    await readPage({ limit: 1, cursor: String(nextCursor) }, async (request) => {
      seen.push(request)
      return []
    })
    expect(seen).toEqual([{ after: { created_at: entries[0]?.created_at, id: ids[0] }, limit: 2 }])
  })

  it.each([
    ['empty', ''],
    ['text', 'next'],
    ['too short', 'AAAA'],
    ['not base64url', '*'.repeat(32)],
    ['of another length', 'A'.repeat(36)],
    ['later than any time', '_'.repeat(32)],
    ['padded', `${'A'.repeat(32)}==`],
  ])('refuses a cursor that is %s', async (_, cursor) => {
    await expect(readPage({ cursor }, list)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '?cursor' }],
    })
  })
})
