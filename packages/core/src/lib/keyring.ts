import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { ConfigurationError } from './errors.ts'
import { completeOptions, isText, type OptionTable } from './option-check.ts'

/** A key that encrypts signing secrets and endpoint headers. */
export interface EncryptionKey {
  /** Your unique name for the key. It is stored next to everything the key encrypts. */
  readonly id: string
  /** 32 bytes, or their base64. `undefined` (an unset environment variable) is refused at startup. */
  readonly key: Uint8Array | string | undefined
}

/** An encrypted secret: the id of its key, and `iv (12) | tag (16) | ciphertext`. */
export interface EncryptedSecret {
  readonly keyId: string
  readonly ciphertext: Uint8Array
}

/** Encrypts with the first key and decrypts with the key that the secret names (AES-256-GCM). */
export interface Keyring {
  readonly newestKeyId: string
  has(keyId: string): boolean
  /**
   * A value by which a key is recognized, and from which nothing can be learned about it.
   * @throws Error if the key is not in the ring
   */
  checkValue(keyId: string): Uint8Array
  /** `context` is bound into the ciphertext, so a secret copied to another row cannot be decrypted there. */
  encrypt(plaintext: string, context: string): EncryptedSecret
  /** @throws Error if the key is not in the ring, or if the ciphertext or the context has changed */
  decrypt(secret: EncryptedSecret, context: string): string
  /** A 16-byte code, from a key derived from the newest one. `context` is the purpose of the bytes. */
  sign(bytes: Uint8Array, context: string): Uint8Array
  /** Whether `code` was signed by a ring that shares a key with this one. */
  isSigned(bytes: Uint8Array, context: string, code: Uint8Array): boolean
}

const KEY_BYTES = 32
const CODE_BYTES = 16

const HOW_TO_MAKE_ONE =
  "Create one with: node -e \"console.log(require('node:crypto').randomBytes(32).toString('base64'))\""

const KEY_OPTIONS = {
  id: { isRequired: true, check: isText, rule: "must be a unique name, as in { id: '1', key }." },
  key: {
    isRequired: true,
    check: (key) => toBytes(key).length === KEY_BYTES,
    rule: (key) =>
      isUnset(key)
        ? `is not set: its environment variable or secret is missing or empty. ${HOW_TO_MAKE_ONE}`
        : `must be ${KEY_BYTES} bytes, or their base64. ${HOW_TO_MAKE_ONE}`,
  },
} satisfies Record<keyof EncryptionKey, OptionTable[string]>

/**
 * Creates the keyring from the host's encryption keys, newest first.
 * @throws ConfigurationError if there are no keys, or one is not set, is not 32 bytes or repeats an id
 */
export function createKeyring(keys: readonly EncryptionKey[]): Keyring {
  const newest = Array.isArray(keys) ? keys[0] : undefined
  if (newest === undefined) {
    throw new ConfigurationError(
      `createIntegrations: encryptionKeys must be a list of at least one key: signing secrets are never stored unencrypted. ${HOW_TO_MAKE_ONE}`,
    )
  }
  const byId = new Map<string, Buffer>()
  for (const [index, entry] of keys.entries()) {
    // Named by its position: the given id could be the key itself.
    const name = `createIntegrations: encryptionKeys[${index}]`
    const { id, key } = completeOptions(name, KEY_OPTIONS, entry)
    if (byId.has(id)) throw new ConfigurationError(`${name}.id ${KEY_OPTIONS.id.rule}`)
    byId.set(id, toBytes(key))
  }

  function keyOf(id: string): Buffer {
    const key = byId.get(id)
    if (key === undefined) {
      throw new Error(
        `The encryption key "${id}" is not in encryptionKeys. Add it back: secrets encrypted with it cannot be read without it.`,
      )
    }
    return key
  }

  const signingKeys = [...byId.values()].map((key) => hkdfSync('sha256', key, '', 'quickquote codes', 32))
  const [newestSigningKey = new ArrayBuffer(0)] = signingKeys

  return {
    newestKeyId: newest.id,
    has: (keyId) => byId.has(keyId),
    checkValue: (keyId) =>
      Buffer.from(hkdfSync('sha256', keyOf(keyId), '', 'quickquote check value', CODE_BYTES)),
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

function isUnset(key: unknown): boolean {
  return key === undefined || key === null || key === ''
}

function toBytes(key: unknown): Buffer {
  if (typeof key === 'string') return Buffer.from(key, 'base64')
  return key instanceof Uint8Array ? Buffer.from(key) : Buffer.alloc(0)
}
