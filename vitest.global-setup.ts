import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@quickquote/testing'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run, for `testDatabase`. */
    postgresUrl: string
  }
}

/** One PostgreSQL for the whole run: the server of DATABASE_URL, or an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await usePostgres({
    dataDir: join(tmpdir(), `quickquote-test-${randomUUID()}`),
    persistent: false,
    onProgress: (line) => console.log(line),
  })
  project.provide('postgresUrl', postgres.url)
  return () => postgres.stop()
}
