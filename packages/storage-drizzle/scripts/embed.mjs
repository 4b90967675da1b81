// Copies the patched driver to dist/driver, from where the packed package imports it: installing from a registry would not
// apply the patch. Embeds the migrations in dist/migrations.js. Runs before the package is packed.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { embed } from '../../../tools/embed.mjs'

const driver = new URL('../', import.meta.resolve('postgres'))
const bundle = new URL('../dist/driver/', import.meta.url)

mkdirSync(new URL('src/', bundle), { recursive: true })
for (const name of readdirSync(new URL('src/', driver)))
  write(`src/${name}`, readFileSync(new URL(`src/${name}`, driver)))

// Origin and license, without `exports`, which would not match these files.
const manifest = JSON.parse(readFileSync(new URL('package.json', driver), 'utf8'))
const { name, version, type, license, author, homepage } = manifest
write('package.json', `${JSON.stringify({ name, version, type, license, author, homepage }, null, 2)}\n`)

embed(await import('../migrations/index.js'), new URL('../dist/migrations.js', import.meta.url))

/** Writes atomically, because the package may be packed twice at once. */
function write(name, content) {
  const target = fileURLToPath(new URL(name, bundle))
  const whole = `${target}.${process.pid}`
  writeFileSync(whole, content)
  renameSync(whole, target)
}
