// Tests the plugin on the oldest supported Fastify: `node oldest-fastify.mjs [test file …]`. Default: all tests of the plugin.
// Installs that Fastify from npm.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PLUGIN = `${ROOT}/packages/fastify-integrations`

const { peerDependencies } = JSON.parse(readFileSync(`${PLUGIN}/package.json`, 'utf8'))
const version = peerDependencies.fastify.replace(/^\^/, '')
const folder = fileURLToPath(new URL(`../versions/fastify-${version}`, import.meta.url))
const fastify = `${folder}/node_modules/fastify/fastify.js`
if (!existsSync(fastify)) {
  mkdirSync(folder, { recursive: true })
  const wanted = ['install', '--no-audit', '--no-fund', '--prefix', folder, `fastify@${version}`]
  spawnSync('npm', wanted, { stdio: 'inherit' })
}
console.log(`\nFastify ${version}`)
const asked = process.argv.slice(2)
const tests = asked.length > 0 ? asked : ['packages/fastify-integrations/']
const { status } = spawnSync(
  process.execPath,
  [`${ROOT}/node_modules/vitest/vitest.mjs`, 'run', '--config', 'vitest.workspace.ts', ...tests],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TESTED_FASTIFY: fastify } },
)
process.exitCode = status ?? 1
