import type { ApiKeyStorage } from '@quickquote/core'
import { eq, sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** API keys in PostgreSQL: see ApiKeyStorage. */
export function apiKeyStorage({ db, tables, schema, run, prepared }: Database): ApiKeyStorage {
  const { apiKeys } = tables

  const findByHash = prepared((on) =>
    on
      .select({
        id: apiKeys.id,
        organization_id: apiKeys.organization_id,
        status: apiKeys.status,
        expires_at: apiKeys.expires_at,
      })
      .from(apiKeys)
      .where(eq(apiKeys.key_hash, sql.placeholder('hash'))),
  )

  return {
    async insertApiKey(key, hash) {
      await db.insert(apiKeys).values({ ...key, key_hash: hash })
    },

    async findApiKeyByHash(hash) {
      const [key] = await findByHash({ hash })
      return key ?? null
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
