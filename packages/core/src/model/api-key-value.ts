import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { SecretValue } from '../lib/secret-value.ts'

const PREFIX = 'pk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 43
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** Generates an API key: `pk_`, 43 base62 characters of 256 random bits, and 6 of their CRC32. */
export function generateApiKeyValue(): SecretValue {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH)
  return new SecretValue(PREFIX + random + checksum(random), PREFIX)
}

/** Whether a string can be a key. A typo fails the checksum, so refusing it needs no query. */
export function isWellFormedApiKey(value: string): boolean {
  if (!SHAPE.test(value)) return false
  const random = value.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH)
  return value.endsWith(checksum(random))
}

/** Whether a string contains something like a key, even a malformed one. For refusing keys in URLs. */
export function looksLikeApiKey(value: string): boolean {
  return /pk_[0-9A-Za-z]{16,}/i.test(value)
}

/** The stored hash of a key. A key has 256 random bits, so a slow hash would add nothing. */
export function hashApiKey(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

/** The displayed form of a key: `pk_`, its first 4 characters, `…`, its last 4. */
export function maskApiKey(value: string): string {
  return `${value.slice(0, PREFIX.length + 4)}…${value.slice(-4)}`
}

function checksum(random: string): string {
  return base62(BigInt(crc32(random)), CHECKSUM_LENGTH)
}

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text
  return text.padStart(length, '0')
}
