import { type ApiKeyStorage, isUuid } from '@quickquote/core'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { isAfter, newestFirst } from './page.ts'
import { together } from './together.ts'

/** API keys in PostgreSQL: see ApiKeyStorage. */
export function apiKeyStorage({ db, tables, schema, run, prepared }: Database): ApiKeyStorage {
  const { apiKeys } = tables
  const { key_hash: _, ...record } = getTableColumns(apiKeys)
  const inOrganization = (organizationId: string, id: string) =>
    and(eq(apiKeys.organization_id, organizationId), eq(apiKeys.id, id))

  const keysByHash = prepared((on) =>
    on
      .select({
        hash: apiKeys.key_hash,
        id: apiKeys.id,
        organization_id: apiKeys.organization_id,
        status: apiKeys.status,
        expires_at: apiKeys.expires_at,
      })
      .from(apiKeys)
      .where(sql`${apiKeys.key_hash} = any (${sql.placeholder('hashes')}::bytea[])`),
  )
  const findByHash = together(async (hashes) => {
    const found = await keysByHash({ hashes: hashes.map((hash) => Buffer.from(hash, 'hex')) })
    return new Map(found.map(({ hash, ...key }) => [Buffer.from(hash).toString('hex'), key]))
  })

  return {
    async insertApiKey(key, hash) {
      await db.insert(apiKeys).values({ ...key, key_hash: hash })
    },

    async findApiKeyByHash(hash) {
      return (await findByHash(Buffer.from(hash).toString('hex'))) ?? null
    },

    async findApiKey(organizationId, id) {
      if (!isUuid(id)) return null
      const [key] = await db.select(record).from(apiKeys).where(inOrganization(organizationId, id))
      return key ?? null
    },

    async lockApiKey(organizationId, id) {
      if (!isUuid(id)) return null
      const [key] = await db
        .select(record)
        .from(apiKeys)
        .where(inOrganization(organizationId, id))
        .for('no key update')
      return key ?? null
    },

    async saveApiKey({ organization_id, id, name, status, updated_at }) {
      await db.update(apiKeys).set({ name, status, updated_at }).where(inOrganization(organization_id, id))
    },

    async listApiKeys(organizationId, ownerId, { after, limit }) {
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

    async recordApiKeyUses(uses) {
      // Rows are locked in one order, so that two processes which used the same keys never wait for each other.
      await run(
        `with used as (
           select * from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
         ), locked as (
           select id from ${schema}.api_keys where id in (select id from used) order by id for no key update
         )
         update ${schema}.api_keys as key set last_used_at = used.at
         from used join locked using (id)
         where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`,
        [[...uses.keys()], [...uses.values()]],
      )
    },
  }
}
