import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { MANY_KEYS, sampleApiKey } from './support/samples.ts'

const { url, sql, storage } = await openDatabase({ maxConnections: 8 })

async function insertKeys(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => sampleApiKey())
  for (const key of keys) await storage.apiKeys.insert(key, randomBytes(32), MANY_KEYS)
  return keys.map((key) => key.id)
}

async function lastUsed(id: string | undefined): Promise<Date> {
  const [row] = await sql`select last_used_at from quickquote.api_keys where id = ${id ?? null}`
  return row?.['last_used_at']
}

describe('last_used_at', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-11-21T10:00:00Z') + seconds * 1000)

  it('never goes backwards', async () => {
    const [id = ''] = await insertKeys(1)
    await storage.apiKeys.recordUses(new Map([[id, at(2)]]))
    await storage.apiKeys.recordUses(new Map([[id, at(1)]]))
    expect(await lastUsed(id)).toEqual(at(2))

    await storage.apiKeys.recordUses(new Map([[id, at(3)]]))
    expect(await lastUsed(id)).toEqual(at(3))
  })

  it('never goes backwards when several processes write the same keys at once, without deadlocks', async () => {
    const ids = await insertKeys(100)
    // Finds rows in the order of the query, as it would with many keys.
    const plan =
      '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off'
    const processes = drizzleStorage({
      connectionString: `${url}?options=${encodeURIComponent(plan)}`,
      maxConnections: 8,
    })
    const rounds = Array.from({ length: 80 }, (_, second) => {
      const order = second % 2 === 0 ? ids : ids.toReversed()
      return processes.apiKeys.recordUses(new Map(order.map((id) => [id, at(second)])))
    })
    await Promise.all(rounds).finally(() => processes.close())

    for (const id of ids) expect(await lastUsed(id)).toEqual(at(79))
  })

  it('is written for existing keys, ignoring deleted ones', async () => {
    const [id = ''] = await insertKeys(1)
    await storage.apiKeys.recordUses(
      new Map([
        [randomUUID(), at(1)],
        [id, at(1)],
      ]),
    )
    expect(await lastUsed(id)).toEqual(at(1))
  })

  it('is the only column of the key that changes', async () => {
    const [id = ''] = await insertKeys(1)
    const read = () => sql`select * from quickquote.api_keys where id = ${id}`
    const [before] = await read()
    await storage.apiKeys.recordUses(new Map([[id, at(1)]]))
    expect(await read()).toEqual([{ ...before, last_used_at: at(1) }])
  })
})
