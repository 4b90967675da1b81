import { randomBytes, randomUUID } from 'node:crypto'
import type { PageRequest, Storage } from '@quickquote/core'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import { describe, expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import { AWKWARD, MANY_KEYS, type StoredApiKey, sampleApiKey } from './support/samples.ts'

const { sql, storage } = await openDatabase({ maxConnections: 8 })

async function insert(fields: Partial<StoredApiKey> = {}): Promise<StoredApiKey> {
  const key = sampleApiKey(fields)
  await storage.apiKeys.insert(key, randomBytes(32), MANY_KEYS)
  return key
}

describe('an API key', () => {
  it('is found by its id, without its hash; an invalid id is unknown', async () => {
    const key = await insert()
    expect(await storage.apiKeys.find(key.organization_id, key.id)).toEqual(key)
    expect(await storage.apiKeys.find(key.organization_id, randomUUID())).toBeNull()
    expect(await storage.apiKeys.find(key.organization_id, "' or true --")).toBeNull()
    expect(await storage.apiKeys.lock(key.organization_id, "' or true --")).toBeNull()
  })

  it('changes only its name, status, successor and time of change, and expires earlier, never later', async () => {
    const key = await insert({ name: 'CRM' })
    const changed: StoredApiKey = {
      ...key,
      name: AWKWARD,
      status: 'revoked',
      replaced_by: randomUUID(),
      updated_at: new Date(),
    }
    const later = new Date(key.expires_at.getTime() + 1)
    await storage.apiKeys.save({ ...changed, owner_id: 'thief', expires_at: later })
    expect(await storage.apiKeys.find(key.organization_id, key.id)).toEqual(changed)
    const earlier = { ...changed, expires_at: new Date(key.expires_at.getTime() - 1) }
    await storage.apiKeys.save(earlier)
    expect(await storage.apiKeys.find(key.organization_id, key.id)).toEqual(earlier)
  })

  it('is locked against concurrent changes; a waiting change sees the new state', async () => {
    const key = await insert({ status: 'active' })
    const lock = (transaction: Storage) => transaction.apiKeys.lock(key.organization_id, key.id)
    const second = await storage.transaction(async (transaction) => {
      await lock(transaction)
      const waiting = storage.transaction(lock)
      await expect.poll(() => lockWaiters(sql)).toBeGreaterThan(0)
      await transaction.apiKeys.save({ ...key, status: 'inactive' })
      return { waiting }
    })
    expect((await second.waiting)?.status).toBe('inactive')
  })

  it('still authenticates while locked', async () => {
    const hash = randomBytes(32)
    const key = sampleApiKey()
    await storage.apiKeys.insert(key, hash, MANY_KEYS)
    await storage.transaction(async (transaction) => {
      await transaction.apiKeys.lock(key.organization_id, key.id)
      expect(await storage.apiKeys.findByHash(hash)).toMatchObject({ id: key.id })
    })
  })
})

describe('apiKeys.list', () => {
  it('lists keys in every state, newest first, of one owner or of all', async () => {
    const organization_id = randomUUID()
    const made = (second: number, fields: Partial<StoredApiKey>) =>
      insert({ organization_id, created_at: new Date(second * 1000), ...fields })
    const mine = await made(1, { owner_id: 'me', status: 'revoked' })
    const theirs = await made(2, { owner_id: 'them' })
    const newest = await made(3, { owner_id: 'me', status: 'inactive' })

    const list = (ownerId: string | null, after: PageRequest['after'] = null, limit = 10) =>
      storage.apiKeys.list(organization_id, ownerId, { after, limit })
    expect(await list(null)).toEqual([newest, theirs, mine])
    expect(await list('me')).toEqual([newest, mine])
    expect(await list('nobody')).toEqual([])
    expect(await list(null, newest, 1)).toEqual([theirs])
    expect(await list('me', newest)).toEqual([mine])
  })
})
