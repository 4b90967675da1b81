import type { EncryptedSecret, EndpointSecrets, SigningSecretStorage } from '@quickquote/core/internal'
import { and, asc, gt, ne, or } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'

/** The encrypted signing secrets of all endpoints that are not deleted: see SigningSecretStorage. */
export function signingSecretStorage({ db, tables, schema, run }: Database): SigningSecretStorage {
  const { webhookEndpoints: endpoints } = tables

  return {
    async lockOld({ keyId, after, limit }) {
      const rows = await db
        .select(
          readable({
            endpoint_id: endpoints.id,
            ciphertext: endpoints.secret_ciphertext,
            keyId: endpoints.secret_key_id,
            previousCiphertext: endpoints.previous_secret_ciphertext,
            previousKeyId: endpoints.previous_secret_key_id,
          }),
        )
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
      return rows.flatMap(({ endpoint_id, ciphertext, keyId, previousCiphertext, previousKeyId }) => {
        const secret = toSecret(keyId, ciphertext)
        const previousSecret = toSecret(previousKeyId, previousCiphertext)
        // Those that were deleted have none.
        return secret === null ? [] : [{ endpoint_id, secret, previousSecret }]
      })
    },

    async save(secrets) {
      await run(
        `update ${schema}.webhook_endpoints endpoint set
           secret_ciphertext = decode(saved.ciphertext, 'hex'), secret_key_id = saved.key_id,
           previous_secret_ciphertext = decode(saved.previous_ciphertext, 'hex'),
           previous_secret_key_id = saved.previous_key_id, version = version + 1
         from json_to_recordset($1::text::json) as saved (id uuid, ciphertext text, key_id text,
           previous_ciphertext text, previous_key_id text)
         where endpoint.id = saved.id`,
        [JSON.stringify(secrets.map(toSaved))],
      )
    },

    async count() {
      const rows = await run<{ key: string; secrets: number }>(
        `select key, count(*)::int as secrets from (
           select secret_key_id as key from ${schema}.webhook_endpoints where secret_key_id is not null
           union all
           select previous_secret_key_id from ${schema}.webhook_endpoints where previous_secret_key_id is not null
         ) as secret
         group by key order by key`,
      )
      return new Map(rows.map(({ key, secrets }) => [key, secrets]))
    },
  }
}

function toSaved({ endpoint_id, secret, previousSecret }: EndpointSecrets): object {
  return {
    id: endpoint_id,
    ciphertext: toHex(secret.ciphertext),
    key_id: secret.keyId,
    previous_ciphertext: previousSecret && toHex(previousSecret.ciphertext),
    previous_key_id: previousSecret?.keyId,
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function toSecret(keyId: string | null, ciphertext: Uint8Array | null): EncryptedSecret | null {
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
}
