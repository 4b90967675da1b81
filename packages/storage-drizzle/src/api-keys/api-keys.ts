import { type ApiKeyStorage, isUuid } from '@quickquote/core/internal'
import { and, asc, eq, getTableColumns, inArray, ne } from 'drizzle-orm'
import { batched } from '../connection/batched.ts'
import type { Database } from '../connection/database.ts'
import { oneAtATime } from '../connection/one-at-a-time.ts'
import { isAfter, newestFirst } from '../connection/page.ts'
import { readable, toDate } from '../connection/readable.ts'
import { REFUSE_ERASED } from '../organizations/not-erased.sql.ts'
import { COUNT_KEYS, FIND_BY_HASH, FIND_BY_HASHES, RECORD_USES } from './api-keys.sql.ts'

/** See ApiKeyStorage. */
export function apiKeyStorage(database: Database): ApiKeyStorage {
  const { db, tables, run } = database
  const { apiKeys } = tables
  const { key_hash, ...columns } = getTableColumns(apiKeys)
  const record = readable(columns)
  const inOrganization = (organizationId: string, id: string) =>
    and(eq(apiKeys.organization_id, organizationId), eq(apiKeys.id, id))

  const findByHash = batched(async (hexes) => {
    const hashes = hexes.map((hex) => Buffer.from(hex, 'hex'))
    const [hash] = hashes
    const found =
      hash !== undefined && hashes.length === 1
        ? await run(FIND_BY_HASH, { hash })
        : await run(FIND_BY_HASHES, { hashes })
    return new Map(
      found.map(({ hash, id, organization, status, expires }) => [
        hash,
        { id, organization_id: organization, status, expires_at: toDate(expires) },
      ]),
    )
  })

  return {
    async insert(key, hash, maximum) {
      return database.transaction(async (transaction) => {
        await oneAtATime(transaction, `keys of ${key.organization_id}`)
        await transaction.run(REFUSE_ERASED, { organization_id: key.organization_id })
        const { organization_id, owner_id, created_at } = key
        const [existing] = await transaction.run(COUNT_KEYS, { organization_id, owner_id, now: created_at })
        if ((existing?.owned ?? 0) >= maximum.ofOwner) return 'ofOwner'
        if ((existing?.total ?? 0) >= maximum.ofOrganization) return 'ofOrganization'
        await transaction.db.insert(apiKeys).values({ ...key, key_hash: hash })
        return null
      })
    },

    async findByHash(hash) {
      return (await findByHash(Buffer.from(hash).toString('hex'))) ?? null
    },

    async find(organizationId, id) {
      if (!isUuid(id)) return null
      const [key] = await db.select(record).from(apiKeys).where(inOrganization(organizationId, id))
      return key ?? null
    },

    async lock(organizationId, id) {
      if (!isUuid(id)) return null
      const [key] = await db
        .select(record)
        .from(apiKeys)
        .where(inOrganization(organizationId, id))
        .for('no key update')
      return key ?? null
    },

    async lockOfOwner(organizationId, ownerId) {
      return db
        .select(record)
        .from(apiKeys)
        .where(
          and(
            eq(apiKeys.organization_id, organizationId),
            eq(apiKeys.owner_id, ownerId),
            ne(apiKeys.status, 'revoked'),
          ),
        )
        .orderBy(asc(apiKeys.id))
        .for('no key update')
    },

    async transfer(organizationId, ids, ownerId, { maximum, now }) {
      return database.transaction(async (transaction) => {
        await oneAtATime(transaction, `keys of ${organizationId}`)
        await transaction.db
          .update(apiKeys)
          .set({ owner_id: ownerId, updated_at: now })
          .where(and(eq(apiKeys.organization_id, organizationId), inArray(apiKeys.id, [...ids])))
        const counted = { organization_id: organizationId, owner_id: ownerId, now }
        const [existing] = await transaction.run(COUNT_KEYS, counted)
        return (existing?.owned ?? 0) <= maximum
      })
    },

    async save({ organization_id, id, name, status, updated_at }) {
      await db.update(apiKeys).set({ name, status, updated_at }).where(inOrganization(organization_id, id))
    },

    async list(organizationId, ownerId, { after, limit }) {
      return db
        .select(record)
        .from(apiKeys)
        .where(
          and(
            eq(apiKeys.organization_id, organizationId),
            ownerId === null ? undefined : eq(apiKeys.owner_id, ownerId),
            isAfter(apiKeys, after),
          ),
        )
        .orderBy(...newestFirst(apiKeys))
        .limit(limit)
    },

    async recordUses(uses) {
      await run(RECORD_USES, { ids: [...uses.keys()], times: [...uses.values()] })
    },
  }
}
