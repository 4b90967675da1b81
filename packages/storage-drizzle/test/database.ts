import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'

/** A migrated database for a test file. */
export interface FileDatabase {
  readonly url: string
  /** Reads the tables directly. */
  readonly sql: postgres.Sql
  /** Uses its own connections. */
  readonly storage: DrizzleStorage
}

/** Creates a database for the calling test file, and drops it after the file. */
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
