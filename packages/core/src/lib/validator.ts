import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { type FieldError, validationFailed } from './errors.ts'
import { isUuid } from './tenancy.ts'
import { parseTimestamp } from './timestamp.ts'

/** No NUL and no lone surrogate: PostgreSQL stores neither. */
export function isStorableText(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text)
}

/**
 * On one line and in one direction: no control characters, line and paragraph separators, lone surrogates, and marks that
 * embed or override a direction. Joiners and single direction marks belong to names of many languages.
 */
function isName(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u.test(text)
}

/** Formats of our own, and what must be said about them: those of ajv take more than PostgreSQL does. */
const FORMATS: Readonly<Record<string, { check: (text: string) => boolean; allowed: string }>> = {
  text: {
    check: isStorableText,
    allowed: 'must be text without NUL characters and lone surrogates',
  },
  name: {
    check: isName,
    allowed:
      'must be one line of text without control characters, bidirectional controls (U+202A to U+202E, U+2066 to U+2069) and lone surrogates',
  },
  'header-value': {
    // That it is empty is said by the schema.
    check: (text) => /^([!-~]([ -~]*[!-~])?)?$/.test(text),
    allowed: 'must be visible ASCII characters, with spaces only between them',
  },
  'date-time': {
    check: (text) => parseTimestamp(text) !== null,
    allowed:
      'must be a timestamp (RFC 3339 with a time zone, as 2026-11-21T10:05:00Z, in the years 0001 to 9999, without leap seconds)',
  },
  uuid: { check: isUuid, allowed: 'must be a uuid' },
  'organization-id': {
    check: isUuid,
    allowed:
      'must be a uuid; map ids of another kind to one, for example with v5(id, NAMESPACE) of the npm package uuid',
  },
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    // Coercion makes Infinity of `1e400` without asking `strictNumbers`, which then keeps the bounds from being checked.
    strictNumbers: !coerceTypes,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
  })
  formats.default(ajv)
  for (const [name, { check }] of Object.entries(FORMATS)) ajv.addFormat(name, check)
  // Annotations that TypeBox and OpenAPI add and that constrain nothing.
  ajv.addVocabulary(['example'])
  return ajv
}

const strict = createAjv(false)
const coercing = createAjv(true)
const compiled = new WeakMap<TSchema, ValidateFunction>()
const compiledCoercing = new WeakMap<TSchema, ValidateFunction>()

/** At most this many errors are reported, so that a hostile body cannot make a long answer. */
export const MAX_REPORTED = 20

/**
 * Checks a value that a client sent and returns it typed. Types are never coerced (`"name": 5` is refused), unknown
 * fields are left alone, defaults of the schema are filled in.
 * @throws IntegrationError VALIDATION_FAILED, with one entry for each violation
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

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Says what is allowed, never what was sent: a value may be a secret. */
function describe(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${[params['type']].flat().map(withArticle).join(' or ')}`
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
      return FORMATS[String(params['format'])]?.allowed ?? `must be a ${params['format']}`
    default:
      return error.message ?? 'is not valid'
  }
}

function withArticle(type: unknown): string {
  if (type === 'null') return 'null'
  return `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`
}
