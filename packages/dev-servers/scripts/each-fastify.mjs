// Runs tests on several versions of Fastify: `node each-fastify.mjs [version …] [argument of Vitest …]`. Default: all tests of
// the plugin and the portal on the oldest supported version, one between and the newest. Installs them from npm.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const { peerDependencies } = JSON.parse(
  readFileSync(`${ROOT}/packages/fastify-integrations/package.json`, 'utf8'),
)
/** CI runs the oldest. */
const SUPPORTED = [peerDependencies.fastify.replace(/^\^/, ''), '5.8.5', '5']

const given = process.argv.slice(2)
const count = given.findIndex((argument) => !/^\d+(\.\d+)*(-\S+)?$/.test(argument))
const asked = count === -1 ? given : given.slice(0, count)
const vitest = count === -1 ? ['packages/fastify-integrations/', 'packages/portal/'] : given.slice(count)

const results = (asked.length > 0 ? asked : SUPPORTED).map((version) => {
  const fastify = installFastify(version)
  console.log(`\nFastify ${version}`)
  const { status } = spawnSync(
    process.execPath,
    [`${ROOT}/node_modules/vitest/vitest.mjs`, 'run', '--config', 'vitest.workspace.ts', ...vitest],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TESTED_FASTIFY: fastify } },
  )
  return { version, passed: status === 0 }
})

for (const { version, passed } of results) console.log(`Fastify ${version}: ${passed ? 'passed' : 'failed'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1

/** @returns its module */
function installFastify(version) {
  const folder = fileURLToPath(new URL(`../versions/fastify-${version}`, import.meta.url))
  const fastify = `${folder}/node_modules/fastify/fastify.js`
  // `5` is another version tomorrow.
  if (!existsSync(fastify) || !version.includes('.')) {
    mkdirSync(folder, { recursive: true })
    const wanted = ['install', '--no-audit', '--no-fund', '--prefix', folder, `fastify@${version}`]
    spawnSync('npm', wanted, { stdio: 'inherit' })
  }
  return fastify
}
