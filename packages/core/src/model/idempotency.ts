import { createHash } from 'node:crypto'
import { validationFailed } from '../lib/errors.ts'

/** What a client sent to be able to repeat a start safely. */
export interface Idempotency {
  /** Chosen by the client. It counts within its organization. */
  readonly key: string
  /** Tells a repeated request from another one under the same key. */
  readonly requestHash: Uint8Array
}

/** How long a key is remembered, in milliseconds: 24 hours. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Makes the idempotency of a start from its key and from what was asked for.
 * @throws IntegrationError VALIDATION_FAILED for a key that is not 1 to 255 visible ASCII characters
 */
export function idempotencyOf(key: string, request: readonly unknown[]): Idempotency {
  if (!KEY.test(key)) {
    throw validationFailed([
      { pointer: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters, without spaces' },
    ])
  }
  return { key, requestHash: createHash('sha256').update(JSON.stringify(request)).digest() }
}
