// Checks that each file imports from its own layer or those below it. Part of `pnpm lint`. Which package may use which, its
// package.json says.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** The folders and files of each layer, from the lowest up. */
const LAYERS = {
  'packages/core/src': [
    ['lib'],
    ['model'],
    ['storage'],
    ['files'],
    ['settings.ts'],
    ['services'],
    ['integrations.ts'],
    ['index.ts', 'internal.ts', 'typebox.ts'],
  ],
  'packages/storage-drizzle/src': [
    ['schema-name.ts', 'schema.ts', 'schema-notes.ts', 'ids.ts'],
    ['connection', 'not-erased.sql.ts'],
    [
      'options.ts',
      'migrations',
      'api-keys',
      'quotations',
      'endpoints',
      'deliveries',
      'organizations',
      'workers',
    ],
    ['storage.ts', 'organization-commands.ts'],
    ['index.ts', 'cli.ts'],
  ],
  'packages/delivery-worker/src': [
    ['options.ts', 'lib', 'deliveries', 'doctor', 'health', 'http', 'starts', 'telemetry', 'upkeep'],
    ['run.ts', 'worker.ts'],
    ['index.ts', 'program'],
  ],
  'packages/fastify-integrations/src': [
    ['route.ts', 'answers', 'auth', 'bodies', 'errors', 'limits', 'silent-connections.ts'],
    ['options.ts', 'openapi'],
    ['routes'],
    ['route-table.ts', 'register-routes.ts'],
    ['plugin.ts', 'index.ts'],
  ],
}

const faults = Object.entries(LAYERS).flatMap(([folder, layers]) => {
  const layerOf = (path) => layers.findIndex((each) => each.includes(path.split('/')[0]))
  return filesIn(folder).flatMap((file) => {
    const layer = layerOf(file)
    if (layer === -1) return [`${folder}/${file} is in no layer: add it to tools/check-layers.mjs.`]
    return importsOf(`${folder}/${file}`)
      .map((path) => posix.join(posix.dirname(file), path))
      .filter((imported) => layerOf(imported) > layer)
      .map((imported) => `${folder}/${file} imports ${imported}, which is in a layer above it.`)
  })
})
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function filesIn(folder) {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', folder],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
  return listed.split('\n').flatMap((path) => (path.endsWith('.ts') ? path.slice(folder.length + 1) : []))
}

function importsOf(path) {
  const text = readFileSync(resolve(ROOT, path), 'utf8')
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g)].map(([, imported]) => imported)
}
