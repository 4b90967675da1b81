import type { EncryptedSecret, EndpointSecrets, SigningSecretStorage } from '@quickquote/core/internal'
import { and, asc, gt, ne, or } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { CLAIM_KEY, COUNT_SECRETS, READ_CHECK_VALUES, SAVE_SECRETS } from './signing-secrets.sql.ts'

/** See SigningSecretStorage. */
export function signingSecretStorage({ db, tables, run }: Database): SigningSecretStorage {
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
            headersCiphertext: endpoints.headers_ciphertext,
            headersKeyId: endpoints.headers_key_id,
          }),
        )
        .from(endpoints)
        .where(
          and(
            or(
              ne(endpoints.secret_key_id, keyId),
              ne(endpoints.previous_secret_key_id, keyId),
              ne(endpoints.headers_key_id, keyId),
            ),
            after === null ? undefined : gt(endpoints.id, after),
          ),
        )
        .orderBy(asc(endpoints.id))
        .limit(limit)
        .for('no key update')
      return rows.flatMap(({ endpoint_id, ...row }) => {
        const secret = toSecret(row.keyId, row.ciphertext)
        const previousSecret = toSecret(row.previousKeyId, row.previousCiphertext)
        const headers = toSecret(row.headersKeyId, row.headersCiphertext)
        // Deleted endpoints have none.
        return secret === null ? [] : [{ endpoint_id, secret, previousSecret, headers }]
      })
    },

    async save(secrets) {
      await run(SAVE_SECRETS, { secrets: JSON.stringify(secrets.map(toSaved)) })
    },

    async claimKey({ keyId, checkValue, isProven }) {
      const [claimed] = await run(CLAIM_KEY, {
        key_id: keyId,
        check_value: toHex(checkValue),
        is_proven: isProven,
      })
      return claimed?.fits ?? null
    },

    async readCheckValues() {
      const rows = await run(READ_CHECK_VALUES)
      return new Map(rows.map(({ id, hex }) => [id, Buffer.from(hex, 'hex')]))
    },

    async count() {
      const rows = await run(COUNT_SECRETS)
      return new Map(rows.map(({ key, secrets }) => [key, secrets]))
    },
  }
}

function toSaved({ endpoint_id, secret, previousSecret, headers }: EndpointSecrets): object {
  return {
    id: endpoint_id,
    ciphertext: toHex(secret.ciphertext),
    key_id: secret.keyId,
    previous_ciphertext: previousSecret && toHex(previousSecret.ciphertext),
    previous_key_id: previousSecret?.keyId,
    headers_ciphertext: headers && toHex(headers.ciphertext),
    headers_key_id: headers?.keyId,
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function toSecret(keyId: string | null, ciphertext: Uint8Array | null): EncryptedSecret | null {
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
}
