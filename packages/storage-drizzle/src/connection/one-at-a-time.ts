import type { Database } from './database.ts'
import { TAKE_TURNS } from './one-at-a-time.sql.ts'

/**
 * Serializes transactions that count before they insert, so that each counts the others' rows. Call it before the
 * count, in a separate statement: the count must begin after the lock was taken.
 * @param what names the counted rows
 */
export async function oneAtATime({ run, schema }: Database, what: string): Promise<void> {
  await run(TAKE_TURNS, { what: `${schema} ${what}` })
}
