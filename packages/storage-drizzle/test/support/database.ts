import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll, type onTestFinished } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../../src/index.ts'

/** A migrated database for tests. */
export interface FileDatabase {
  readonly url: string
  /** Reads the tables directly. */
  readonly sql: postgres.Sql
  /** Uses its own connections. */
  readonly storage: DrizzleStorage
}

/** Of the calling test file, or of one test. */
export type CloseAfter = typeof afterAll | typeof onTestFinished

/** Creates a migrated database, and drops it after the file or the test. */
export async function openDatabase(
  options: { sql?: Parameters<typeof postgres>[1]; maxConnections?: number; closeAfter?: CloseAfter } = {},
): Promise<FileDatabase> {
  const { maxConnections, closeAfter = afterAll } = options
  const database = await migratedDatabase()
  const sql = postgres(database.url, options.sql)
  const storage = drizzleStorage({
    connectionString: database.url,
    ...(maxConnections === undefined ? {} : { maxConnections }),
  })
  closeAfter(async () => {
    await storage.close()
    // A failed test may leave a transaction open.
    await sql.end({ timeout: 5 })
    await database.drop()
  })
  return { url: database.url, sql, storage }
}
