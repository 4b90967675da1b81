import type postgres from 'postgres'
import { type Connected, type ConnectionOptions, ownConnections } from './connection.ts'
import type { Driver } from './driver.ts'
import { checkDrizzle, type HostDrizzle, onHostDrizzle } from './host-drizzle.ts'
import { checkClient, onPostgresJs } from './postgres-js.ts'

/** Where the database is, or a client of the host. */
export interface Target extends ConnectionOptions {
  readonly sql?: postgres.Sql
  readonly db?: HostDrizzle
}

const nothing = async () => {}

/** @throws ConfigurationError for an invalid connection string or client */
export function connect(target: Target): Connected {
  const { sql, db, prepare = true } = target
  if (sql !== undefined) {
    const driver = onPostgresJs(checkClient(sql), { prepare, isPublished: true })
    return { driver: { ...driver, end: nothing }, ready: nothing }
  }
  if (db !== undefined) {
    const driver = { ...onHostDrizzle(checkDrizzle(db)), ...listeningAt(target.connectionString) }
    return { driver, ready: nothing }
  }
  return ownConnections(target)
}

/** Opens one connection per listener, and no others. */
function listeningAt(connectionString: string | undefined): Pick<Driver, 'listen' | 'end'> {
  if (connectionString === undefined) return { listen: () => ({ end: nothing }), end: nothing }
  return ownConnections({ connectionString }).driver
}
