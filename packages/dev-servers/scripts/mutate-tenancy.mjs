// `pnpm mutation:tenancy`: takes one organization out of the storage's SQL after the other, and tells for which of them no test
// fails. Mutation tools change operators and texts as a whole; here it is one clause of a statement that counts. The sources
// are changed while it runs, and are as they were when it ends.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder, usePostgres } from '../dist/index.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const STORAGE = 'packages/storage-drizzle'

/** What ties a statement to an organization, and what stands there instead: as true for all others. */
const CLAUSES = [
  // A condition of drizzle: left out of the `and` that it stands in.
  { pattern: /eq\((?:\w+\.)?organization_id, [\w.]+(?:\('\w+'\))?\)/g, instead: () => 'undefined' },
  // A condition of a statement: its parameter stays, or the statement would not be one.
  {
    pattern: /(?:\w+\.)?organization_id = (\$\w+)/g,
    instead: (_, parameter) => `${parameter}::uuid is not null`,
  },
  // What two tables of a statement have in common.
  { pattern: /(?:\w+\.)?organization_id = \w+\.organization_id/g, instead: () => 'true' },
]

/** The definitions of tables and the making of them are no statements. */
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

/** The tests of tenancy, and those of the file: of the sources themselves, so that nothing has to be built. */
async function testsFail(name) {
  const own = `${STORAGE}/test/${name.replace(/(\.sql)?\.ts$/, '.test.ts')}`
  const tests = [`${STORAGE}/test/tenancy.test.ts`, ...(existsSync(`${ROOT}/${own}`) ? [own] : [])]
  const vitest = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.workspace.ts', '--bail', '1', ...tests],
    { cwd: ROOT, stdio: 'ignore', env: { ...process.env, DATABASE_URL: database.url } },
  )
  const [status] = await once(vitest, 'exit')
  return status !== 0
}
