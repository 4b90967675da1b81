import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { ACME } from '../../examples/demo/src/members.ts'

it('the code of the guide declares an event, and sends it alone and in a transaction', async () => {
  const guide = await readFile(resolve(import.meta.dirname, '../../docs/guides/event-catalog.md'), 'utf8')
  const [declaration = '', emission = ''] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  )
  const database = await emptyDatabase()
  onTestFinished(() => database.drop())
  const program = `
import postgres from 'postgres'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const sql = postgres(process.env.DATABASE_URL, { max: 1 })
await sql\`create table projects (id uuid)\`
const storage = drizzleStorage({ connectionString: process.env.DATABASE_URL })
await storage.migrate()
const encryptionKeys = [{ id: 'test', key: Buffer.alloc(32, 1) }]
const pipeline = { async start() {}, async signDocumentUrl() {} }
${declaration}
const organizationId = '${ACME}'
const project_id = crypto.randomUUID()
${emission}
await sql.end()
await integrations.close()
`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: resolve(import.meta.dirname, '../../examples/demo'),
    env: { ...process.env, DATABASE_URL: database.url },
  })

  const sql = postgres(database.url, { max: 1 })
  onTestFinished(() => sql.end())
  const events = await sql`select type from quickquote.events`
  expect(events.map(({ type }) => type)).toEqual(['project.created', 'project.created'])
  expect(await sql`select id from projects`).toHaveLength(1)
})
