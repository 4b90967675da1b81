import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type { TestProject } from 'vitest/node'
import { POSTGRES_VERSIONS } from './embedded-postgres.ts'
import { usePostgres } from './postgres.ts'
import { scratchFolder } from './scratch-folder.ts'
import type {} from './vitest.ts'

/**
 * Starts one PostgreSQL for the whole run: the server of DATABASE_URL, or an embedded one of major version
 * POSTGRES_VERSION (18) in a scratch folder. Migrates one database on it, which tests copy.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { POSTGRES_VERSION = '18' } = process.env
  const version = POSTGRES_VERSIONS.find((known) => String(known) === POSTGRES_VERSION)
  if (version === undefined)
    throw new Error(`POSTGRES_VERSION must be one of ${POSTGRES_VERSIONS.join(', ')}.`)
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
