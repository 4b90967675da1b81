import { closestMatch } from 'leven'
import { ConfigurationError } from './errors.ts'
import { givenOptions } from './fields.ts'
import { parseUrl } from './text.ts'

/** Milliseconds of a timer. A longer one of Node fires at once: 2^31 - 1 milliseconds are 24 days. */
export const TIMER = { min: 1, max: 2 ** 31 - 1 } as const

/** The most that a process does at once. Each takes memory and a socket or a call of the host: more need more processes. */
export const MOST_AT_ONCE = 10_000

/** The longest time before or after now: a date much further away is invalid in JavaScript or in the database. */
export const CENTURY_DAYS = 36_500
export const CENTURY_MS = CENTURY_DAYS * 24 * 60 * 60 * 1000

/** Whole numbers, unless `fraction` is set. */
export interface NumberOption {
  readonly min: number
  readonly max?: number
  readonly fraction?: true
  readonly default?: number
  readonly isRequired?: true
}

/** No number. A flag has a default and nothing else. */
interface RuledOption {
  readonly default?: unknown
  readonly isRequired?: true
  /** Whether a value other than the default is right. Default: checked by the code that uses it. */
  check?(value: unknown): boolean
  /** What an error says after the name, such as `must be a function.`; a function, if that depends on the value. */
  readonly rule?: string | ((value: unknown) => string)
  /** Checks what is inside a value. @throws ConfigurationError */
  checkInside?(path: string, value: never): void
}

/** The names, checks and defaults of a group of options; for numbers and flags also their types, and the reference page. */
export type OptionTable = Readonly<Record<string, NumberOption | RuledOption>>

/** The options that a table of numbers and flags describes. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly min: number } ? number : boolean
}

type NamesWithDefault<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown } ? Name : never
}[keyof Table]

/** Options of the host, with the defaults of a table. */
export type Completed<Given, Table extends OptionTable> = Given &
  Required<Pick<Given, NamesWithDefault<Table> & keyof Given>>

export function defaultsOf<Table extends OptionTable>(table: Table): OptionsOf<Table> {
  const defaults = Object.entries(table).map(([name, option]) => [name, option.default])
  return Object.freeze(givenOptions(Object.fromEntries(defaults))) as OptionsOf<Table>
}

/**
 * Checks options by their table, and adds the defaults.
 * @param owner the prefix of errors, such as `createIntegrations` or `createIntegrations: limits`
 * @param others names that the table does not have, and somebody else checks
 * @throws ConfigurationError for a name that is unknown, and a value that is missing or wrong; it repeats no value
 */
export function completeOptions<Given extends object, Table extends OptionTable>(
  owner: string,
  table: Table,
  given: Given,
  others: readonly string[] = [],
): Completed<Given, Table> {
  checkOptionNames(owner, given, [...Object.keys(table), ...others])
  checkOptionValues(owner, table, given)
  return { ...defaultsOf(table), ...givenOptions(given) } as Completed<Given, Table>
}

/** Like `completeOptions`, for an object that may have anything else, too. */
export function checkOptionValues(owner: string, table: OptionTable, given: object): void {
  const values = given as Readonly<Record<string, unknown>>
  for (const [name, option] of Object.entries(table)) {
    const value = values[name]
    const isDefault = value === undefined || value === option.default
    if (isDefault && !option.isRequired) continue
    const path = `${owner}${separatorAfter(owner)}${name}`
    if ('min' in option) checkNumber(path, value, option)
    else checkByRule(path, value, typeof option.default === 'boolean' ? FLAG : option)
  }
}

const FLAG: RuledOption = {
  check: (value) => typeof value === 'boolean',
  rule: 'must be true or false.',
}

function checkByRule(path: string, value: unknown, { check, rule, checkInside }: RuledOption): void {
  if (check?.(value) === false) {
    throw new ConfigurationError(`${path} ${typeof rule === 'function' ? rule(value) : rule}`)
  }
  checkInside?.(path, value as never)
}

/** `createIntegrations: limits`, then `createIntegrations: limits.files`. */
function separatorAfter(owner: string): string {
  return owner.includes(': ') ? '.' : ': '
}

/** Options of `register` that are Fastify's own. */
export const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

/** The row of an option that repeats the first of them. */
export const PREFIX = {
  check: matching(/^(\/[\w.~-]+)*$/),
  rule: 'must be a path without a trailing slash, such as /api.',
} as const satisfies OptionTable[string]

/** The largest edit distance of a typo: at most half of the name, or `max` would resemble `sql`. */
const MAX_SLIPS = 4

/**
 * Refuses unknown options: JavaScript would ignore a typo, and a limit that is silently ignored is worse than an error.
 * @param owner the prefix of the error, such as `createIntegrations: limits`
 * @throws ConfigurationError unless given an object, and for an unknown name, with the nearest known one
 */
export function checkOptionNames(owner: string, given: unknown, names: readonly string[]): void {
  if (!isObject(given)) {
    throw new ConfigurationError(`${owner} must be an object with: ${names.join(', ')}.`)
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const hint = hintAt(name, names)
    throw new ConfigurationError(
      `${owner}${separatorAfter(owner)}${name} is not an option.${hint} Options: ${names.join(', ')}.`,
    )
  }
}

/** ` Did you mean …?`, or nothing if no name is similar. It does not repeat the typed text. */
export function hintAt(typed: string, names: readonly string[]): string {
  const nearest = closestMatch(typed, names, {
    maxDistance: Math.min(MAX_SLIPS, Math.floor(typed.length / 2)),
  })
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}

/** @throws ConfigurationError unless the value is a number in the range */
export function checkNumber(name: string, value: unknown, { min, max, fraction }: NumberOption): void {
  const isNumber =
    typeof value === 'number' && (fraction ? Number.isFinite(value) : Number.isSafeInteger(value))
  if (isNumber && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return
  const kind = fraction ? 'a number' : 'a whole number'
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`
  throw new ConfigurationError(`${name} must be ${kind}, ${range}.`)
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** An object with fields, also a module. A `Map` or a `URL` has none, and what it says would be ignored. */
export function isObject(value: unknown): value is object {
  return ['[object Object]', '[object Module]'].includes(Object.prototype.toString.call(value))
}

export function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** Browsers skip line breaks in URLs, so `java\nscript:` would run. */
const SPACES_AND_CONTROLS = /[\s\p{Cc}]/u

/** An http(s) URL; with a base also one that is relative to it. */
export function isHttpUrl(text: unknown, base?: string): boolean {
  if (typeof text !== 'string' || SPACES_AND_CONTROLS.test(text)) return false
  return /^https?:$/.test(parseUrl(text, base)?.protocol ?? '')
}

/** The address of a page: a path, or an http(s) URL. */
export function isPageAddress(text: unknown): boolean {
  return isText(text) && isHttpUrl(text, 'https://any.example')
}

/** A check of one of these values. */
export function oneOf(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value)
}

/** A check of an object with these functions. */
export function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => isFunction((value as Record<string, unknown>)[name]))
}

/** A check of a list. */
export function listOf(isRight: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isRight)
}

/** A check of a text. */
export function matching(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value)
}

export function isTime(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime())
}
