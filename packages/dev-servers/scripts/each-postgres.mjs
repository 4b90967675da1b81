// Runs the tests that touch SQL on several versions of PostgreSQL: `node each-postgres.mjs [version …]`. Default: all of them.
// Installs missing ones from npm.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { POSTGRES_VERSIONS } from '@quickquote/dev-servers'
import { installPostgres } from './install.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Migrations, upgrades, rights, the statement whose plans matter, and the whole product from a key to a replay. */
const TESTS = [
  ...[
    'migrate',
    'upgrade',
    'schema',
    'roles',
    'delivery-round',
    'retention',
    'session-settings',
    'database-check',
    'quotations',
  ].map((name) => `packages/storage-drizzle/test/${name}.test.ts`),
  'e2e/demo/runtime-role.test.ts',
]

const asked = process.argv.slice(2)
const versions = asked.length > 0 ? asked : POSTGRES_VERSIONS.map(String)
// DATABASE_URL has only one version.
const { DATABASE_URL, ...env } = process.env

const results = versions.map((version) => {
  console.log(`\nPostgreSQL ${version}`)
  installPostgres(version)
  const { status } = spawnSync('vitest', ['run', '--config', 'vitest.workspace.ts', ...TESTS], {
    cwd: ROOT,
    env: { ...env, POSTGRES_VERSION: version },
    stdio: 'inherit',
  })
  return { version, passed: status === 0 }
})

for (const { version, passed } of results)
  console.log(`PostgreSQL ${version}: ${passed ? 'passed' : 'failed'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
