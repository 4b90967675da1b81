import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { ConfigurationError } from './errors.ts'

/** A key that signing secrets and headers of endpoints are encrypted with. */
export interface EncryptionKey {
  /** Its name, which is stored beside what it encrypted. */
  readonly id: string
  /** 32 bytes, or their base64. `undefined`, of an environment variable that is not set, is refused at boot. */
  readonly key: Uint8Array | string | undefined
}

/** A secret as it is stored: which key encrypted it, and `iv (12) | tag (16) | ciphertext`. */
export interface EncryptedSecret {
  readonly keyId: string
  readonly ciphertext: Uint8Array
}

/** Encrypts with the first key, decrypts with whichever key the secret names (AES-256-GCM). */
export interface Keyring {
  /** The id of the first key. */
  readonly newestKeyId: string
  /** Whether the key with this id is in the ring. */
  has(keyId: string): boolean
  /** `context` is bound into the ciphertext: a secret that is copied to another row does not decrypt there. */
  encrypt(plaintext: string, context: string): EncryptedSecret
  /** @throws Error when the key is not in the ring, or the ciphertext or its context was changed */
  decrypt(secret: EncryptedSecret, context: string): string
  /** A code of 16 bytes, by a key that is derived from the newest one. `context` says what the bytes are good for. */
  sign(bytes: Uint8Array, context: string): Uint8Array
  /** Whether `sign` of a ring that shares a key with this one gave the code. */
  isSigned(bytes: Uint8Array, context: string, code: Uint8Array): boolean
}

const CODE_BYTES = 16

const HOW_TO_MAKE_ONE =
  "Make one with: node -e \"console.log(require('node:crypto').randomBytes(32).toString('base64'))\""

/**
 * Makes the keyring of the host's encryption keys, the newest first.
 * @throws ConfigurationError without keys, or for one that is not set, is not 32 bytes or has an id twice
 */
export function createKeyring(keys: readonly EncryptionKey[]): Keyring {
  const newest = Array.isArray(keys) ? keys[0] : undefined
  if (newest === undefined) {
    throw new ConfigurationError(
      `encryptionKeys is empty or no list: signing secrets are never stored in the clear. ${HOW_TO_MAKE_ONE}`,
    )
  }
  const byId = new Map<string, Buffer>()
  for (const [index, entry] of keys.entries()) {
    // By its place: what was given for an id may be the key.
    const name = `encryptionKeys[${index}]`
    const { id, key } = entry ?? {}
    if (typeof id !== 'string' || id === '' || byId.has(id))
      throw new ConfigurationError(`${name} needs an id of its own, as { id: '1', key }.`)
    if (key === undefined || key === null || key === '') {
      throw new ConfigurationError(
        `${name}.key is not set: the environment variable or secret that it is read from is missing or empty. ${HOW_TO_MAKE_ONE}`,
      )
    }
    const bytes = toBytes(key)
    if (bytes.length !== 32) {
      throw new ConfigurationError(`${name}.key is not 32 bytes, or their base64. ${HOW_TO_MAKE_ONE}`)
    }
    byId.set(id, bytes)
  }

  function keyOf(id: string): Buffer {
    const key = byId.get(id)
    if (key === undefined) {
      throw new Error(
        `The encryption key "${id}" is not in encryptionKeys: secrets that it encrypted cannot be read.`,
      )
    }
    return key
  }

  const signingKeys = [...byId.values()].map((key) => hkdfSync('sha256', key, '', 'quickquote codes', 32))
  const [newestSigningKey = new ArrayBuffer(0)] = signingKeys

  return {
    newestKeyId: newest.id,
    has: (keyId) => byId.has(keyId),
    encrypt(plaintext, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyOf(newest.id), iv).setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return { keyId: newest.id, ciphertext: Buffer.concat([iv, cipher.getAuthTag(), encrypted]) }
    },
    decrypt({ keyId, ciphertext }, context) {
      const bytes = Buffer.from(ciphertext)
      const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), bytes.subarray(0, 12), {
        authTagLength: 16,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    sign: (bytes, context) => codeOf(newestSigningKey, bytes, context),
    isSigned: (bytes, context, code) =>
      code.length === CODE_BYTES &&
      signingKeys.some((key) => timingSafeEqual(codeOf(key, bytes, context), code)),
  }
}

function codeOf(key: ArrayBuffer, bytes: Uint8Array, context: string): Uint8Array {
  const hmac = createHmac('sha256', Buffer.from(key)).update(`${context}\0`).update(bytes)
  return hmac.digest().subarray(0, CODE_BYTES)
}

function toBytes(key: unknown): Buffer {
  if (typeof key === 'string') return Buffer.from(key, 'base64')
  return key instanceof Uint8Array ? Buffer.from(key) : Buffer.alloc(0)
}
