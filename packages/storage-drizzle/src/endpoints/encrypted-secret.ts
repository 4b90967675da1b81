import type { EncryptedSecret } from '@quickquote/core/internal'

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
