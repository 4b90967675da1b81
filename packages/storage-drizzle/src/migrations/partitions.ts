import type { Driver } from '../connection/driver.ts'
import { MAINTENANCE } from '../connection/statement-timeout.ts'

/**
 * Makes the day partitions of today and the next six days where they are missing. Rows of such a day that went to the
 * default partition meanwhile are moved. Safe to call at any time, from any process: it waits for nobody, and what is in
 * use, or being made by another process, is left for the next call.
 */
export async function ensurePartitions(driver: Pick<Driver, 'begin'>, schema: string): Promise<void> {
  await driver.begin((transaction) => transaction.script(makePartitions(schema)), MAINTENANCE)
}

/**
 * Partitions are made by a function that has the rights of the schema's owner: workers run as a role that may not change
 * tables. It is one statement, so a transaction of its own, and takes the maintenance lock.
 */
export function makePartitions(schema: string): string {
  return `select "${schema}".make_partitions();`
}
