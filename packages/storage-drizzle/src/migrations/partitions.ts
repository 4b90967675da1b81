import type { Driver } from '../connection/driver.ts'
import { MAINTENANCE } from '../connection/statement-timeout.ts'

/**
 * Creates missing day partitions for today and the next six days, and moves their rows out of the default partition.
 * Safe to call at any time, from any process: it waits for nothing, and leaves days that are in use or being created to
 * the next call.
 */
export async function ensurePartitions(driver: Pick<Driver, 'begin'>, schema: string): Promise<void> {
  await driver.begin((transaction) => transaction.script(makePartitions(schema)), MAINTENANCE)
}

/**
 * Calls a function with the rights of the schema's owner, because workers run as a role that cannot change tables. One
 * statement, so a transaction of its own; it takes the maintenance lock.
 */
export function makePartitions(schema: string): string {
  return `select "${schema}".make_partitions();`
}
