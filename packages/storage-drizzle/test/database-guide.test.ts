import { readFileSync } from 'node:fs'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { rolesSql } from '../src/migrations/roles.ts'
import { callCli } from './support/cli-process.ts'
import { sampleEndpoint, sampleEvent, sampleSecrets } from './support/samples.ts'

// roles.test.ts tests what the SQL of the roles allows.
const GUIDE = readFileSync(new URL('../../../docs/guides/database.md', import.meta.url), 'utf8')

const blocksOf = (language: string) =>
  [...GUIDE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)

it('names the roles in the SQL that the command prints', async () => {
  const { stdout } = await callCli(['roles'])
  const names = { schema: 'quickquote', owner: 'quickquote_owner', runtime: 'quickquote_app' }
  expect(stdout).toBe(rolesSql(names))
  for (const name of Object.values(names)) expect(GUIDE).toContain(`\`${name}\``)
})

it('names commands that exist', async () => {
  const named = blocksOf('sh').flatMap((block) => [
    ...block.matchAll(/npx @quickquote\/storage-drizzle (\w+)/g),
  ])
  const { stdout } = await callCli(['--help'])
  const there = [...stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, command]) => command)
  expect(new Set(named.map(([, command]) => command))).toEqual(new Set(there))
})

it('has SQL that leaves no work for workers on a copy', async () => {
  const database = await emptyDatabase()
  const sql = postgres(database.url, { max: 1, onnotice() {} })
  const storage = drizzleStorage({ sql })
  await storage.migrate()
  const endpoint = sampleEndpoint()
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  const event = () => sampleEvent({ organization_id: endpoint.organization_id })
  await storage.events.record(event())

  const block = blocksOf('sql').find((text) => text.includes('is_enabled = false')) ?? ''
  await sql.unsafe(block).simple()
  await storage.events.record(event())

  expect(await sql`select from quickquote.deliveries`).toHaveLength(0)
  await sql.end()
  await database.drop()
})
