import { createCalls } from '../../src/connection/call.ts'
import { type Connection, createDatabase, type Database } from '../../src/connection/database.ts'
import { localWaker } from './wakers.ts'

/** The database of a storage, with nobody else to wake. */
export function databaseOn(driver: Connection['driver'], options: Partial<Connection> = {}): Database {
  return createDatabase({
    driver,
    schema: 'quickquote',
    prepare: true,
    calls: createCalls(),
    waker: localWaker(),
    ...options,
  })
}
