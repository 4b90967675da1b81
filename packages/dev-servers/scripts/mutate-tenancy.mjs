// `pnpm mutation:tenancy [FILE…]`: removes the organization from the storage's SQL, one place at a time, and reports those for
// which no test fails. Mutation tools change whole operators and texts; this changes one clause of a statement. The sources are
// changed while it runs, and restored at the end. A clause that survives may be redundant: many ids are unique without it.
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
  // A condition of a statement. Its parameter stays, so that the statement remains valid.
  {
    pattern:
      /(?:(?:\w+\.)?organization_id|\(\w+ ->> 'organization_id'\)::uuid) (?:=|is not distinct from) (\$\w+)/g,
    instead: (_, parameter) => `(${parameter}::uuid is null or true)`,
  },
  // A condition of a function: its parameter has this name.
  {
    pattern:
      /(?:organization_id|\(\w+ ->> 'organization_id'\)::uuid) (?:=|is not distinct from) organization\b/g,
    instead: () => 'true',
  },
  // A join of two tables.
  { pattern: /(?:\w+\.)?organization_id = \w+\.organization_id/g, instead: () => 'true' },
]

/** Tests of files whose own test has another name. */
const TESTS = {
  'acceptance.sql.ts': 'quotations',
  'delivery-log.sql.ts': 'deliveries',
  'erasing.sql': 'erasure',
  'feed.sql': 'event-feed',
  'quotations.sql': 'erasure',
  'schema-notes.ts': 'erasure',
  'warnings.sql.ts': 'endpoint-health',
}

process.on('SIGINT', () => process.exit(1))
process.on('SIGTERM', () => process.exit(1))

const dataDir = join(scratchFolder(), `quickquote-mutation-${randomUUID()}`)
const database = await usePostgres({ dataDir, persistent: false })
const survivors = []
let tried = 0
const wanted = process.argv.slice(2)
const files = ['src', 'migrations/functions']
  .flatMap((folder) =>
    readdirSync(`${ROOT}/${STORAGE}/${folder}`, { recursive: true }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.(?:ts|sql)$/.test(file) && (wanted.length === 0 || wanted.includes(basename(file))))
for (const file of files) await tryMutants(file)
await database.stop()
console.log(`${tried - survivors.length} of ${tried} killed`)
process.exitCode = tried > 0 && survivors.length === 0 ? 0 : 1

async function tryMutants(file) {
  const name = basename(file)
  const path = `${ROOT}/${STORAGE}/${file}`
  const source = readFileSync(path, 'utf8')
  const places = CLAUSES.flatMap(({ pattern, instead }) =>
    Array.from(source.matchAll(pattern), (match) => ({ match, replacement: instead(...match) })),
  )
  if (places.length === 0) return

  // Otherwise every mutant would seem killed.
  if (await testsFail(name)) throw new Error(`${name}: its tests fail without a mutant.`)
  const restore = () => writeFileSync(path, source)
  process.once('exit', restore)
  // Otherwise every mutant would seem to survive.
  writeFileSync(path, 'This must fail.')
  if (!(await testsFail(name)))
    throw new Error(`${name}: its tests pass without it; they do not use this file.`)
  for (const { match, replacement } of places) {
    const { index } = match
    writeFileSync(path, source.slice(0, index) + replacement + source.slice(index + match[0].length))
    const place = `${name}:${source.slice(0, index).split('\n').length}`
    const isKilled = await testsFail(name)
    tried += 1
    console.log(`${isKilled ? 'killed  ' : 'SURVIVED'} ${place} ${match[0]}`)
    if (!isKilled) survivors.push(place)
  }
  restore()
  process.off('exit', restore)
}

/** Runs the tenancy tests and the file's own, on the sources, so that no build is needed. */
async function testsFail(name) {
  const own = `${STORAGE}/test/${TESTS[name] ?? name.replace(/(?:\.sql)?\.ts$/, '')}.test.ts`
  const tests = [`${STORAGE}/test/tenancy.test.ts`, ...(existsSync(`${ROOT}/${own}`) ? [own] : [])]
  const vitest = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.workspace.ts', '--bail', '1', ...tests],
    { cwd: ROOT, stdio: 'ignore', env: { ...process.env, DATABASE_URL: database.url, TEST_SOURCES: 'yes' } },
  )
  const [status] = await once(vitest, 'exit')
  return status !== 0
}
