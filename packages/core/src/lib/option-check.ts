import { closestMatch } from 'leven'
import { ConfigurationError } from './errors.ts'

/** Beyond 2^31 - 1 milliseconds (24 days) a timer of Node fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** What a number among the options may be. Whole, unless it may be a `fraction`. */
export interface NumberRange {
  readonly min: number
  readonly max?: number
  readonly fraction?: true
}

/** A number among the options: its default, and what else it may be. */
export interface NumberOption extends NumberRange {
  readonly default: number
}

/** The options of a group: of this table come the defaults, the checks, and the reference page. */
export type OptionTable<T> = {
  readonly [Name in keyof T]-?: T[Name] extends boolean ? { readonly default: boolean } : NumberOption
}

export function defaultsOf<T extends object>(table: OptionTable<T>): T {
  const options = Object.entries<{ default: unknown }>(table)
  return Object.freeze(Object.fromEntries(options.map(([name, option]) => [name, option.default]))) as T
}

/** How many letters may be wrong for a name to be taken for a slip of the pen. */
const MAX_SLIPS = 4

/**
 * Plain JavaScript does not tell of a misspelled option, and a limit that is silently ignored is worse than an error.
 * @param owner what the options belong to, as `createIntegrations: limits`
 * @throws ConfigurationError for what is no object, and for a name that is not an option, with the nearest one that is
 */
export function checkOptionNames(owner: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError(`${owner} must be an object with: ${names.join(', ')}.`)
  }
  const separator = owner.includes(': ') ? '.' : ': '
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const nearest = closestMatch(name, names, { maxDistance: MAX_SLIPS })
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    throw new ConfigurationError(
      `${owner}${separator}${name} is not an option.${hint} There are: ${names.join(', ')}.`,
    )
  }
}

/** @throws ConfigurationError for what is no number, or not in the range */
export function checkNumber(name: string, value: unknown, { min, max, fraction }: NumberRange): void {
  const isNumber =
    typeof value === 'number' && (fraction ? Number.isFinite(value) : Number.isSafeInteger(value))
  if (isNumber && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return
  const kind = fraction ? 'a number' : 'a whole number'
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`
  throw new ConfigurationError(`${name} must be ${kind}, ${range}.`)
}

/** The options that are given: what is undefined counts as absent. */
export function givenOptions<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
