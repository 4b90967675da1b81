import type postgres from 'postgres'
import { type ConnectionOptions, openClient } from './connection.ts'
import { type Driver, repeating, waitingForLocks } from './driver.ts'
import { checkDrizzle, type HostDrizzle, onHostDrizzle } from './host-drizzle.ts'
import { checkClient, onPostgresJs } from './postgres-js.ts'

/** Where the database is, or a client of the host. */
export interface Target extends ConnectionOptions {
  readonly sql?: postgres.Sql
  readonly db?: HostDrizzle
}

/** The connection of our statements. */
export interface Connected {
  readonly driver: Driver
  /** Resolves once it is known to support our statements. Cheap after the first call. */
  ready(): Promise<void>
}

const nothing = async () => {}

/** @throws ConfigurationError for an invalid connection string or client */
export function connect(target: Target, prepare: boolean): Connected {
  if (target.sql !== undefined) {
    return {
      driver: { ...onPostgresJs(checkClient(target.sql), { prepare, isPublished: true }), end: nothing },
      ready: nothing,
    }
  }
  if (target.db !== undefined) {
    const db = onHostDrizzle(checkDrizzle(target.db))
    return { driver: { ...db, ...listeningAt(target.connectionString) }, ready: nothing }
  }
  const { sql, hosts, timeouts, ready, transactionSettings } = openClient(target)
  const end = async () => {
    await sql.end({ timeout: 5 })
    hosts.close()
  }
  const driver = { ...onPostgresJs(sql, { prepare, transactionSettings }), end }
  return { driver: repeating(driver, waitingForLocks(timeouts.lockTimeoutMs), hosts.inTurn), ready }
}

/** Opens one connection per listener, and no others. */
function listeningAt(connectionString: string | undefined): Pick<Driver, 'listen' | 'end'> {
  if (connectionString === undefined) return { listen: () => ({ end: nothing }), end: nothing }
  const { sql, hosts } = openClient({ connectionString })
  return { listen: onPostgresJs(sql, { prepare: false }).listen, end: async () => hosts.close() }
}
