import { closestMatch } from 'leven'
import { ConfigurationError } from './errors.ts'

/** A longer timer of Node fires at once: 2^31 - 1 milliseconds are 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** The range of a numeric option. Whole numbers, unless `fraction` is set. */
export interface NumberRange {
  readonly min: number
  readonly max?: number
  readonly fraction?: true
}

export interface NumberOption extends NumberRange {
  readonly default: number
}

/** The source of the types, the defaults, the checks and the reference page of a group of options. */
export type OptionTable = Readonly<Record<string, NumberOption | { readonly default: boolean }>>

/** The options that a table describes. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends NumberOption ? number : boolean
}

export function defaultsOf<Table extends OptionTable>(table: Table): OptionsOf<Table> {
  const options = Object.entries(table).map(([name, option]) => [name, option.default])
  return Object.freeze(Object.fromEntries(options)) as OptionsOf<Table>
}

/** The largest edit distance of a typo: at most half of the name, or `max` would resemble `sql`. */
const MAX_SLIPS = 4

/**
 * Refuses unknown options: JavaScript would ignore a typo, and a limit that is silently ignored is worse than an error.
 * @param owner the prefix of the error, such as `createIntegrations: limits`
 * @throws ConfigurationError unless given an object, and for an unknown name, with the nearest known one
 */
export function checkOptionNames(owner: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError(`${owner} must be an object with: ${names.join(', ')}.`)
  }
  const separator = owner.includes(': ') ? '.' : ': '
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const hint = hintAt(name, names)
    throw new ConfigurationError(
      `${owner}${separator}${name} is not an option.${hint} Options: ${names.join(', ')}.`,
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
export function checkNumber(name: string, value: unknown, { min, max, fraction }: NumberRange): void {
  const isNumber =
    typeof value === 'number' && (fraction ? Number.isFinite(value) : Number.isSafeInteger(value))
  if (isNumber && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return
  const kind = fraction ? 'a number' : 'a whole number'
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`
  throw new ConfigurationError(`${name} must be ${kind}, ${range}.`)
}
