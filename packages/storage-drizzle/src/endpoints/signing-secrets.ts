import type { EncryptedSecret, EndpointSecrets, PreviousSecret, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import type { PreviousSecretJson } from '../schema.ts'
import { CLAIM_KEY, COUNT_SECRETS, LOCK_OLD, READ_CHECK_VALUES, SAVE_SECRETS } from './signing-secrets.sql.ts'

export function signingSecretStorage({ call, run, one }: Database): Storage['signingSecrets'] {
  return {
    lockOld: ({ keyId, after, limit }) =>
      call('signingSecrets.lockOld', async () => {
        const rows = await run(LOCK_OLD, { key_id: keyId, after, limit })
        return rows.flatMap((row) => {
          const secret = encryptedSecret(row.secret_key_id, row.secret_ciphertext)
          const previousSecrets = row.previous_secrets.map(toPreviousSecret)
          const headers = encryptedSecret(row.headers_key_id, row.headers_ciphertext)
          // Deleted endpoints have none.
          return secret === null ? [] : [{ endpoint_id: row.id, secret, previousSecrets, headers }]
        })
      }),

    save: (secrets) =>
      call('signingSecrets.save', async () => {
        await run(SAVE_SECRETS, { secrets: JSON.stringify(secrets.map(toSaved)) })
      }),

    claimKey: ({ keyId, checkValue, isProven }) =>
      call('signingSecrets.claimKey', async () => {
        const claim = { key_id: keyId, check_value: toHex(checkValue), is_proven: isProven }
        return (await one(CLAIM_KEY, claim)).fits
      }),

    readCheckValues: () =>
      call('signingSecrets.readCheckValues', async () => {
        const rows = await run(READ_CHECK_VALUES)
        return new Map(rows.map(({ id, check_value }) => [id, check_value]))
      }),

    count: () =>
      call('signingSecrets.count', async () => {
        const rows = await run(COUNT_SECRETS)
        return new Map(rows.map(({ key, secrets }) => [key, secrets]))
      }),
  }
}

function toSaved({ endpoint_id, secret, previousSecrets, headers }: EndpointSecrets): object {
  return {
    id: endpoint_id,
    ciphertext: toHex(secret.ciphertext),
    key_id: secret.keyId,
    previous_secrets: previousSecrets.map(
      ({ keyId, ciphertext, secret_hint, expires_at }): PreviousSecretJson => ({
        key_id: keyId,
        ciphertext: toHex(ciphertext),
        secret_hint,
        expires_at: expires_at.toISOString(),
      }),
    ),
    headers_ciphertext: headers && toHex(headers.ciphertext),
    headers_key_id: headers?.keyId,
  }
}

export function toPreviousSecret(found: PreviousSecretJson): EncryptedSecret & PreviousSecret {
  const { key_id, ciphertext, secret_hint, expires_at } = found
  return { ...encryptedSecret(key_id, ciphertext), secret_hint, expires_at: new Date(expires_at) }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** Two columns of an endpoint. A ciphertext within JSON is in hex. */
export function encryptedSecret(keyId: string, ciphertext: Uint8Array | string): EncryptedSecret
export function encryptedSecret(
  keyId: string | null,
  ciphertext: Uint8Array | string | null,
): EncryptedSecret | null
export function encryptedSecret(keyId: string | null, ciphertext: Uint8Array | string | null) {
  if (keyId === null || ciphertext === null) return null
  return { keyId, ciphertext: typeof ciphertext === 'string' ? Buffer.from(ciphertext, 'hex') : ciphertext }
}
