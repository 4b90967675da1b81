import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'

/** A migrated database for a test file. */
export interface FileDatabase {
  readonly url: string
  /** Reads what is in the tables, apart from the storage. */
  readonly sql: postgres.Sql
  /** On connections of its own. */
  readonly storage: DrizzleStorage
}

/** Makes a database for the test file that calls this at its top; all of it is closed and dropped after the file. */
export async function openDatabase(
  options: { sql?: Parameters<typeof postgres>[1]; maxConnections?: number } = {},
): Promise<FileDatabase> {
  const database = await migratedDatabase()
  const sql = postgres(database.url, options.sql)
  const storage = drizzleStorage({
    connectionString: database.url,
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
  })
  afterAll(async () => {
    await storage.close()
    await sql.end()
    await database.drop()
  })
  return { url: database.url, sql, storage }
}
