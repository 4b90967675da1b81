import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { POSTGRES_VERSIONS, scratchFolder, usePostgres } from '@quickquote/dev-servers'
import type {} from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type { TestProject } from 'vitest/node'

/**
 * One PostgreSQL for the whole run: the server of DATABASE_URL, or an embedded one in a scratch folder, of the major version
 * that POSTGRES_VERSION names (18). On it a database that is migrated once, for all tests that need one to copy.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { POSTGRES_VERSION = '18' } = process.env
  const version = POSTGRES_VERSIONS.find((known) => String(known) === POSTGRES_VERSION)
  if (version === undefined) throw new Error(`POSTGRES_VERSION is one of ${POSTGRES_VERSIONS.join(', ')}.`)
  const postgres = await usePostgres({
    version,
    dataDir: join(scratchFolder(), `quickquote-test-${randomUUID()}`),
    persistent: false,
    onProgress: (line) => console.log(line),
  })
  const template = `quickquote_template_${randomUUID()}`
  const storage = drizzleStorage({ connectionString: await postgres.createDatabase(template) })
  await storage.migrate()
  await storage.close()
  project.provide('postgresUrl', postgres.url)
  project.provide('migratedTemplate', template)
  return () => postgres.stop()
}
