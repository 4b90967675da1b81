import { type FieldError, validationFailed } from '../lib/errors.ts'
import { escapePointer, isStorableText, MAX_REPORTED } from '../lib/validator.ts'

/**
 * Replaces a number that JavaScript would change. The JSON parser inserts it, and no schema accepts a symbol, so it is
 * refused wherever it matters.
 */
export const INEXACT_NUMBER = Symbol('a number that JavaScript cannot represent')

/** Deeper than any real data, and far from a stack overflow. */
const MAX_DEPTH = 64

/**
 * Checks that metadata can be stored and read back unchanged.
 * @throws IntegrationError VALIDATION_FAILED
 */
export function checkMetadata(metadata: unknown, maxBytes: number): void {
  if (metadata === null) return
  const bytes = bytesOf(metadata)
  if (bytes === null) throw refused([wrong('', 'must be JSON')])
  // Checked first: pointers to invalid parts are as long as the names in them.
  if (bytes > maxBytes) throw refused([wrong('', `must be at most ${maxBytes} bytes of JSON`)])
  const errors = [...new Set(whatIsWrong(metadata, '', 1))]
  if (errors.length > 0) throw refused(errors)
}

function* whatIsWrong(value: unknown, pointer: string, depth: number): Generator<FieldError> {
  if (value === INEXACT_NUMBER || (typeof value === 'number' && !Number.isFinite(value))) {
    yield wrong(pointer, 'must be a number that fits a 64-bit float without loss: send it as a string')
  } else if (typeof value === 'string') {
    if (!isStorableText(value)) yield NOT_STORABLE
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) {
      yield wrong('', `must not be nested more than ${MAX_DEPTH} levels deep`)
      return
    }
    for (const [name, each] of Object.entries(value)) {
      if (!isStorableText(name)) yield NOT_STORABLE
      else yield* whatIsWrong(each, `${pointer}/${escapePointer(name)}`, depth + 1)
    }
  }
}

/** null: the host passed something that JSON cannot represent. */
function bytesOf(metadata: unknown): number | null {
  try {
    const json = JSON.stringify(metadata, (_, value) => (value === INEXACT_NUMBER ? 0 : value))
    return Buffer.byteLength(json)
  } catch {
    return null
  }
}

function wrong(pointer: string, detail: string): FieldError {
  return { pointer: `/metadata${pointer}`, detail }
}

const NOT_STORABLE = wrong('', 'must not contain NUL characters or lone surrogates')

function refused(errors: readonly FieldError[]) {
  return validationFailed(errors.slice(0, MAX_REPORTED))
}
