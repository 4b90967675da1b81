// `pnpm mutation:tenancy`: removes the organization from the storage's SQL, one place at a time, and reports those for which no
// test fails. Mutation tools change whole operators and texts; this changes one clause of a statement. The sources are changed
// while it runs, and restored at the end.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder, usePostgres } from '../dist/index.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const STORAGE = 'packages/storage-drizzle'

/** Clauses that tie a statement to an organization, and replacements that are true for every organization. */
const CLAUSES = [
  // A condition of drizzle: undefined in its `and` leaves it out.
  { pattern: /eq\((?:\w+\.)?organization_id, [\w.]+(?:\('\w+'\))?\)/g, instead: () => 'undefined' },
  // A condition of a statement. Its parameter stays, so that the statement remains valid.
  {
    pattern: /(?:(?:\w+\.)?organization_id|\(\w+ ->> 'organization_id'\)::uuid) = (\$\w+)/g,
    instead: (_, parameter) => `${parameter}::uuid is not null`,
  },
  // A join of two tables.
  { pattern: /(?:\w+\.)?organization_id = \w+\.organization_id/g, instead: () => 'true' },
]

/** Definitions and migrations are not statements. */
const LEFT_OUT = ['schema.ts', 'migrate.ts']

process.on('SIGINT', () => process.exit(1))
process.on('SIGTERM', () => process.exit(1))

const dataDir = join(scratchFolder(), `quickquote-mutation-${randomUUID()}`)
const database = await usePostgres({ dataDir, persistent: false })
const survivors = []
let tried = 0
const wanted = process.argv.slice(2)
for (const file of readdirSync(`${ROOT}/${STORAGE}/src`, { recursive: true })) {
  const name = basename(file)
  if (!name.endsWith('.ts') || LEFT_OUT.includes(name) || (wanted.length > 0 && !wanted.includes(name)))
    continue
  const path = `${ROOT}/${STORAGE}/src/${file}`
  const source = readFileSync(path, 'utf8')
  const restore = () => writeFileSync(path, source)
  process.once('exit', restore)
  for (const { pattern, instead } of CLAUSES) {
    for (const match of source.matchAll(pattern)) {
      const { index } = match
      writeFileSync(path, source.slice(0, index) + instead(...match) + source.slice(index + match[0].length))
      const place = `${name}:${source.slice(0, index).split('\n').length}`
      const isKilled = await testsFail(name)
      tried += 1
      console.log(`${isKilled ? 'killed  ' : 'SURVIVED'} ${place} ${match[0]}`)
      if (!isKilled) survivors.push(place)
    }
  }
  restore()
  process.off('exit', restore)
}
await database.stop()
console.log(`${tried - survivors.length} of ${tried} killed`)
process.exitCode = survivors.length === 0 ? 0 : 1

/** Runs the file's own tests, then the tenancy tests: on the sources, so that no build is needed. */
async function testsFail(name) {
  const own = `${STORAGE}/test/${name.replace(/(\.sql)?\.ts$/, '.test.ts')}`
  const isOwn = existsSync(`${ROOT}/${own}`)
  return (isOwn && (await fails(own))) || fails(`${STORAGE}/test/tenancy.test.ts`)
}

async function fails(test) {
  const vitest = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.workspace.ts', '--bail', '1', test],
    { cwd: ROOT, stdio: 'ignore', env: { ...process.env, DATABASE_URL: database.url } },
  )
  const [status] = await once(vitest, 'exit')
  return status !== 0
}
