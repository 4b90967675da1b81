import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tryProduct } from './product-trial.ts'

let database: TestDatabase
let host: postgres.Sql

beforeEach(async () => {
  database = await emptyDatabase()
  host = postgres(database.url, { max: 1, onnotice() {} })
})

afterEach(async () => {
  await host.end()
  await database.drop()
})

describe('API and worker in one process', () => {
  it.each([1, 2])('work with %i connection(s), and open one more for notifications', async (max) => {
    const storage = drizzleStorage({ connectionString: database.url, maxConnections: max })
    await storage.migrate()
    const used = countConnections()
    await tryProduct(storage, { host })
    expect(await used.most()).toBeLessThanOrEqual(max + 1)
  })

  it.each([1, 2])("work on the host's own client of %i connection(s)", async (max) => {
    const sql = postgres(database.url, { max, onnotice() {} })
    const storage = drizzleStorage({ sql })
    await storage.migrate()
    await tryProduct(storage, { host: sql })
    await sql.end()
  })
})

/** The highest number of storage connections seen at once. */
function countConnections() {
  const watcher = postgres(database.url, { max: 1, connection: { application_name: 'watcher' } })
  const seen: number[] = []
  const watching = (async () => {
    while (seen.at(-1) !== -1) {
      const rows = await watcher`select from pg_stat_activity
        where datname = current_database() and application_name = 'quickquote'`
      if (seen.at(-1) === -1) return
      seen.push(rows.length)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    async most() {
      const most = Math.max(...seen)
      seen.push(-1)
      await watching
      await watcher.end()
      return most
    },
  }
}
