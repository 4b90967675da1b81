import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { type FieldError, validationFailed } from './errors.ts'

/** No NUL and no lone surrogate: PostgreSQL stores neither. */
export function isStorableText(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text)
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
  })
  formats.default(ajv)
  ajv.addFormat('text', isStorableText)
  // Annotations that TypeBox and OpenAPI add and that constrain nothing.
  ajv.addVocabulary(['example'])
  return ajv
}

const strict = createAjv(false)
const coercing = createAjv(true)
const compiled = new WeakMap<TSchema, ValidateFunction>()
const compiledCoercing = new WeakMap<TSchema, ValidateFunction>()

/** At most this many errors are reported, so that a hostile body cannot make a long answer. */
const MAX_REPORTED = 20

/**
 * Checks a value that a client sent and returns it typed. Types are never coerced (`"name": 5` is refused), unknown
 * fields are left alone, defaults of the schema are filled in.
 * @throws IntegrationError VALIDATION_FAILED with one entry for each rule that was broken
 */
export function validate<T extends TSchema>(schema: T, value: unknown): Static<T> {
  return run(compile(strict, compiled, schema), value, '')
}

/** The same for a query string or path parameters, whose values are coerced (`limit=20`). `where` is `?` or `:`. */
export function validateUrlPart<T extends TSchema>(schema: T, value: unknown, where: '?' | ':'): Static<T> {
  return run(compile(coercing, compiledCoercing, schema), value, where)
}

function compile(ajv: Ajv, cache: WeakMap<TSchema, ValidateFunction>, schema: TSchema): ValidateFunction {
  let check = cache.get(schema)
  if (check === undefined) {
    check = ajv.compile(schema)
    cache.set(schema, check)
  }
  return check
}

function run<T extends TSchema>(check: ValidateFunction, value: unknown, where: '' | '?' | ':'): Static<T> {
  if (check(value)) return value as Static<T>
  throw validationFailed(
    (check.errors ?? []).slice(0, MAX_REPORTED).map((error) => toFieldError(error, where)),
  )
}

function toFieldError(error: ErrorObject, where: '' | '?' | ':'): FieldError {
  const missing =
    error.keyword === 'required' ? `/${escapePointer(String(error.params['missingProperty']))}` : ''
  const path = error.instancePath + missing
  return { pointer: where === '' ? path : where + path.slice(1), detail: describe(error) }
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Says what is allowed, never what was sent: a value may be a secret. */
function describe(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`
    case 'maxLength':
      return `must have at most ${params['limit']} characters`
    case 'minItems':
      return `must have at least ${params['limit']} ${params['limit'] === 1 ? 'entry' : 'entries'}`
    case 'maxItems':
      return `must have at most ${params['limit']} entries`
    case 'minProperties':
      return 'must have at least one field'
    case 'minimum':
      return `must be at least ${params['limit']}`
    case 'maximum':
      return `must be at most ${params['limit']}`
    case 'format':
      return params['format'] === 'text'
        ? 'must be text without NUL characters and lone surrogates'
        : `must be a ${params['format'] === 'date-time' ? 'timestamp (ISO 8601 with a time zone)' : params['format']}`
    default:
      return error.message ?? 'is not valid'
  }
}
