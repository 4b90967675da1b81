import { closestMatch } from 'leven'

/** The names of an object's fields; the compiler asks for all of them. */
export type Names<T> = Readonly<Record<keyof T, true>>

/** The largest edit distance of a typo. `externalId` is 2 from `external_id`. */
const MAX_SLIPS = 4

/**
 * Refuses unknown names: JavaScript would ignore a misspelled filter, and return everything.
 * @throws TypeError unless given an object, and with the nearest known name
 */
export function checkNames<T>(given: T & object, known: Names<T>): void {
  const names = Object.keys(known)
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`Options must be an object with: ${names.join(', ')}`)
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const maxDistance = Math.min(MAX_SLIPS, Math.floor(name.length / 2))
    const nearest = closestMatch(name, names, { maxDistance })
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    throw new TypeError(`Unknown option ${JSON.stringify(name)}.${hint} Options: ${names.join(', ')}`)
  }
}
