// Runs the tests on several versions of Node: `node each-node.mjs [version …] [argument of Vitest …]`. Default: all supported
// versions, with the PostgreSQL of POSTGRES_VERSION. Installs missing ones from npm.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installNode, installPostgres } from './install.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** CI runs the oldest and the newest. */
const SUPPORTED = ['20', '22', '24', '26']

const given = process.argv.slice(2)
const count = given.findIndex((argument) => !/^\d+(\.\d+)*$/.test(argument))
const asked = count === -1 ? given : given.slice(0, count)
const vitest = count === -1 ? [] : given.slice(count)

installPostgres(process.env.POSTGRES_VERSION)
const results = (asked.length > 0 ? asked : SUPPORTED).map((version) => {
  const node = installNode(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`\nNode ${stdout ?? version}`)
  const { status } = spawnSync(
    node,
    [`${ROOT}/node_modules/vitest/vitest.mjs`, 'run', '--config', 'vitest.workspace.ts', ...vitest],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` } },
  )
  return { version: stdout?.trim() || version, passed: status === 0 }
})

for (const { version, passed } of results) console.log(`Node ${version}: ${passed ? 'passed' : 'failed'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
