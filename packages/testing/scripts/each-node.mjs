// Tries the packages on several versions of Node: `node each-node.mjs [version …]`, all of them by default. They are installed
// from npm first: the package `node` brings the program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const VERSIONS = ['20', '22', '24']

/** The packed packages in a host of their own: loaded in both ways, then database, sockets, worker and receiver. */
const TESTS = ['examples/server/test/install', '--testNamePattern', 'CommonJS|newcomer']

const asked = process.argv.slice(2)
const results = (asked.length > 0 ? asked : VERSIONS).map((version) => {
  const node = install(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`\nNode ${stdout ?? version}`)
  const { status } = spawnSync(
    node,
    [`${ROOT}/node_modules/vitest/vitest.mjs`, 'run', '--config', 'vitest.workspace.ts', ...TESTS],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` } },
  )
  return { version: stdout?.trim() || version, passed: status === 0 }
})

for (const { version, passed } of results) console.log(`Node ${version}: ${passed ? 'passed' : 'failed'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1

/** The path of the program. */
function install(version) {
  const folder = fileURLToPath(new URL(`../versions/node-${version}`, import.meta.url))
  const node = `${folder}/node_modules/node/bin/node`
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true })
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${version}`], {
      stdio: 'inherit',
    })
  }
  return node
}
