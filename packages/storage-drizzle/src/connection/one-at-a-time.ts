import type { Database } from './database.ts'
import { TAKE_TURNS } from './one-at-a-time.sql.ts'

/**
 * Lets transactions that count before they insert do so one after the other, so that each counts what the others
 * inserted. To be called before the count, in a statement of its own: the count must begin after the lock was taken.
 * @param what they count
 */
export async function oneAtATime({ run, schema }: Database, what: string): Promise<void> {
  await run(TAKE_TURNS, { what: `${schema} ${what}` })
}
