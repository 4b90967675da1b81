import { createHash } from 'node:crypto'
import { invalidField } from '../lib/errors.ts'

/** Makes a start safe to repeat. */
export interface Idempotency {
  /** Chosen by the client, unique within its organization. */
  readonly key: string
  /** Distinguishes a repeated request from another one with the same key. */
  readonly requestHash: Uint8Array
}

/** How long a key is remembered. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Creates the idempotency of a start from its key and its request, in which the order of keys does not matter.
 * @throws IntegrationError VALIDATION_FAILED unless the key is 1 to 255 visible ASCII characters
 */
export function idempotencyOf(key: string, request: readonly unknown[]): Idempotency {
  if (!KEY.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters, without spaces')
  }
  return { key, requestHash: createHash('sha256').update(JSON.stringify(request, sorted)).digest() }
}

/** For `JSON.stringify`. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
