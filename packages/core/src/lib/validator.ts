import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { type FieldError, validationFailed } from './errors.ts'
import { hintAt } from './option-check.ts'
import { isUuid } from './tenancy.ts'
import { parseTimestamp } from './timestamp.ts'

/** Without NUL and lone surrogates, which PostgreSQL cannot store. */
export function isStorableText(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text)
}

/**
 * One line in one direction: without control characters, line and paragraph separators, lone surrogates, and direction
 * embeddings or overrides. Joiners and single direction marks are allowed: names in many languages use them.
 */
function isName(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u.test(text)
}

/** Our own formats, with their error messages. They are stricter than ajv's where PostgreSQL is. */
const FORMATS: Readonly<Record<string, { check: (text: string) => boolean; allowed: string }>> = {
  text: {
    check: isStorableText,
    allowed: 'must be text without NUL characters or lone surrogates',
  },
  name: {
    check: isName,
    allowed:
      'must be one line of text without control characters, bidirectional controls (U+202A to U+202E, U+2066 to U+2069) or lone surrogates',
  },
  'header-value': {
    // The schema refuses an empty string.
    check: (text) => /^([!-~]([ -~]*[!-~])?)?$/.test(text),
    allowed: 'must be visible ASCII characters, with spaces only between them',
  },
  'date-time': {
    check: (text) => parseTimestamp(text) !== null,
    allowed:
      'must be a timestamp (RFC 3339 with a time zone, such as 2026-11-21T10:05:00Z, in the years 0001 to 9999, without leap seconds)',
  },
  uuid: { check: isUuid, allowed: 'must be a UUID' },
  'organization-id': {
    check: isUuid,
    allowed:
      'must be a UUID; convert other IDs to one, for example with v5(id, NAMESPACE) of the npm package uuid',
  },
}

/** Patterns of the documentation, which clients can check themselves. */
export const PATTERNS = {
  eventId: '^evt_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  httpStatus: '^([1-5]([0-9]{2}|xx)|none)$',
  https: '^[Hh][Tt][Tt][Pp][Ss]://',
} as const

const ALLOWED_BY_PATTERN: Readonly<Record<string, string>> = {
  [PATTERNS.eventId]: 'must be the ID of an event (`evt_…`)',
  [PATTERNS.httpStatus]: 'must be a status from 100 to 599, a class such as 5xx, or none',
  [PATTERNS.https]: 'must be an absolute URL that starts with https://',
}

/** Ajv counts code points, as PostgreSQL does; TypeBox's compiler counts UTF-16 units. */
function createAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strictNumbers: true,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
  })
  formats.default(ajv)
  for (const [name, { check }] of Object.entries(FORMATS)) ajv.addFormat(name, check)
  // Annotations of TypeBox and OpenAPI without an effect.
  ajv.addVocabulary(['example'])
  return ajv
}

let ajv: Ajv | undefined
const compiled = new WeakMap<TSchema, ValidateFunction>()
/** Schemas with the same text share a function: each instance of the plugin brings its own, and ajv keeps them forever. */
const compiledByText = new Map<string, ValidateFunction>()

/** The maximum number of reported errors, so that a hostile body cannot cause a long response. */
export const MAX_REPORTED = 20

/**
 * Validates a value from a client. Never coerces types (`"name": 5` is refused), keeps unknown fields, and fills in
 * defaults.
 * @throws IntegrationError VALIDATION_FAILED, with an entry for each violation
 */
export function validate<T extends TSchema>(schema: T, value: unknown): Static<T> {
  return run(compile(schema), value, '')
}

/**
 * The same for query and path parameters, whose integers are decimal digits (`limit=20`), and whose lists are separated by
 * commas, or repeated. `where` is `?` or `:`.
 */
export function validateUrlPart<T extends TSchema>(schema: T, value: unknown, where: '?' | ':'): Static<T> {
  return run(compile(schema), typed(schema, value), where)
}

/** Ajv's coercion would take `0x10` and `1e1`, too. */
function typed({ properties = {} }: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, typedText(properties[name]?.type, each)]),
  )
}

function typedText(type: unknown, value: unknown): unknown {
  if (type === 'array') return [value].flat().flatMap((each) => String(each).split(','))
  return type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
}

function compile(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  ajv ??= createAjv()
  const check = compiledByText.get(text) ?? ajv.compile(schema)
  compiledByText.set(text, check)
  compiled.set(schema, check)
  return check
}

function run<T extends TSchema>(check: ValidateFunction, value: unknown, where: '' | '?' | ':'): Static<T> {
  if (check(value)) return value as Static<T>
  throw validationFailed(
    (check.errors ?? []).slice(0, MAX_REPORTED).map((error) => toFieldError(error, where, check.schema)),
  )
}

/** Characters of an unknown parameter's name that are repeated. */
const MAX_NAME = 64

function toFieldError(error: ErrorObject, where: '' | '?' | ':', schema: unknown): FieldError {
  const { missingProperty, additionalProperty } = error.params as Partial<Record<string, string>>
  const name = missingProperty ?? additionalProperty?.slice(0, MAX_NAME)
  const path = error.instancePath + (name === undefined ? '' : `/${escapePointer(name)}`)
  const known = Object.keys((schema as { properties?: object }).properties ?? {})
  const [kind, title] = where === '' ? ['field', 'Fields'] : ['parameter of this route', 'Parameters']
  const detail =
    additionalProperty === undefined
      ? describe(error)
      : `is not a ${kind}.${hintAt(additionalProperty, known)} ${title}: ${known.join(', ')}`
  // An entry of a list is named by its parameter.
  return { pointer: where === '' ? path : where + (path.split('/')[1] ?? ''), detail }
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** States the rule and never repeats the value, which may be a secret. */
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
    case 'pattern':
      return ALLOWED_BY_PATTERN[String(params['pattern'])] ?? 'does not have the documented form'
    default:
      return error.message ?? 'is not valid'
  }
}

function withArticle(type: unknown): string {
  if (type === 'null') return 'null'
  return `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`
}
