import { type FieldError, validationFailed } from '../lib/errors.ts'
import { escapePointer, isStorableText, MAX_REPORTED } from '../lib/validator.ts'

/**
 * Stands for a number that would come back as another one: whoever parses the JSON of a client puts it there. No schema
 * takes a symbol, so it is refused wherever it counts.
 */
export const INEXACT_NUMBER = Symbol('a number that JavaScript does not keep')

/** Deeper than anybody writes, and far from where recursive code runs out of stack. */
const MAX_DEPTH = 64

/**
 * Checks that metadata can be stored and comes back as it was sent.
 * @throws IntegrationError VALIDATION_FAILED
 */
export function checkMetadata(metadata: unknown, maxBytes: number): void {
  if (metadata === null) return
  const bytes = bytesOf(metadata)
  if (bytes === null) throw refused([wrong('', 'must be JSON')])
  // First, since the pointers of what is wrong inside are as long as its names.
  if (bytes > maxBytes) throw refused([wrong('', `must be at most ${maxBytes} bytes of JSON`)])
  const errors = [...new Set(whatIsWrong(metadata, '', 1))]
  if (errors.length > 0) throw refused(errors)
}

function* whatIsWrong(value: unknown, pointer: string, depth: number): Generator<FieldError> {
  if (value === INEXACT_NUMBER || (typeof value === 'number' && !Number.isFinite(value))) {
    yield wrong(
      pointer,
      'must be a number that a 64-bit floating point keeps to the last digit: send it as a string',
    )
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

/** null: a host passed something that JSON cannot hold. */
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

const NOT_STORABLE = wrong('', 'must not hold NUL characters or lone surrogates')

function refused(errors: readonly FieldError[]) {
  return validationFailed(errors.slice(0, MAX_REPORTED))
}
