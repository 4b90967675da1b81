import type { StorageOptions } from '../options.ts'
import { type ConnectionOptions, openClient } from './connection.ts'
import type { Driver } from './driver.ts'
import { checkDrizzle, onHostDrizzle } from './host-drizzle.ts'
import { checkClient, onPostgresJs } from './postgres-js.ts'

/** The connection of our statements. */
export interface Connected {
  readonly driver: Driver
  /** Resolves once it is known to support our statements. Cheap after the first call. */
  ready(): Promise<void>
}

const nothing = async () => {}

/**
 * @throws ConfigurationError for an invalid connection string or client
 */
export function connect(options: StorageOptions, prepare: boolean): Connected {
  if ('sql' in options && options.sql !== undefined) {
    return {
      driver: { ...onPostgresJs(checkClient(options.sql), { prepare }), end: nothing },
      ready: nothing,
    }
  }
  if ('db' in options && options.db !== undefined) {
    const db = onHostDrizzle(checkDrizzle(options.db))
    return { driver: { ...db, listen: listenAt(options.connectionString), end: nothing }, ready: nothing }
  }
  const { sql, ready, transactionSettings } = openClient(options as ConnectionOptions)
  const end = () => sql.end({ timeout: 5 })
  return { driver: { ...onPostgresJs(sql, { prepare, transactionSettings }), end }, ready }
}

/** Opens one connection per listener, and no others. */
function listenAt(connectionString: string | undefined): Driver['listen'] {
  if (connectionString === undefined) return () => ({ end: nothing })
  return onPostgresJs(openClient({ connectionString }).sql, { prepare: false }).listen
}
