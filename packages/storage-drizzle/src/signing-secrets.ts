import type { EncryptedSecret, SecretStorage } from '@quickquote/core'
import { and, asc, gt, ne, or } from 'drizzle-orm'
import type { Database } from './database.ts'

/** The encrypted signing secrets of all endpoints: see SecretStorage. */
export function secretStorage({ db, tables, schema, run }: Database): SecretStorage {
  const { webhookEndpoints: endpoints } = tables

  return {
    async lockOldSecrets({ keyId, after, limit }) {
      const rows = await db
        .select({
          endpoint_id: endpoints.id,
          ciphertext: endpoints.secret_ciphertext,
          keyId: endpoints.secret_key_id,
          previousCiphertext: endpoints.previous_secret_ciphertext,
          previousKeyId: endpoints.previous_secret_key_id,
        })
        .from(endpoints)
        .where(
          and(
            or(ne(endpoints.secret_key_id, keyId), ne(endpoints.previous_secret_key_id, keyId)),
            after === null ? undefined : gt(endpoints.id, after),
          ),
        )
        .orderBy(asc(endpoints.id))
        .limit(limit)
        .for('no key update')
      return rows.map(({ endpoint_id, ciphertext, keyId, previousCiphertext, previousKeyId }) => ({
        endpoint_id,
        secret: { keyId, ciphertext },
        previousSecret: toSecret(previousKeyId, previousCiphertext),
      }))
    },

    async saveSecrets(secrets) {
      await run(
        `update ${schema}.webhook_endpoints endpoint set
           secret_ciphertext = saved.ciphertext, secret_key_id = saved.key_id,
           previous_secret_ciphertext = saved.previous_ciphertext, previous_secret_key_id = saved.previous_key_id,
           version = version + 1
         from unnest($1::uuid[], $2::bytea[], $3::text[], $4::bytea[], $5::text[])
           as saved (id, ciphertext, key_id, previous_ciphertext, previous_key_id)
         where endpoint.id = saved.id`,
        [
          secrets.map(({ endpoint_id }) => endpoint_id),
          secrets.map(({ secret }) => secret.ciphertext),
          secrets.map(({ secret }) => secret.keyId),
          secrets.map(({ previousSecret }) => previousSecret?.ciphertext ?? null),
          secrets.map(({ previousSecret }) => previousSecret?.keyId ?? null),
        ],
      )
    },

    async countSecrets() {
      const rows = await run<{ key: string; secrets: number }>(
        `select key, count(*)::int as secrets from (
           select secret_key_id as key from ${schema}.webhook_endpoints
           union all
           select previous_secret_key_id from ${schema}.webhook_endpoints where previous_secret_key_id is not null
         ) as secret
         group by key order by key`,
      )
      return new Map(rows.map(({ key, secrets }) => [key, secrets]))
    },
  }
}

function toSecret(keyId: string | null, ciphertext: Uint8Array | null): EncryptedSecret | null {
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
}
