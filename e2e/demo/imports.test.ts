import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../docs/pages.ts'

/** Prints the URL of each module that is loaded. */
const PRINT = `import { writeSync } from 'node:fs'
export function load(url, context, next) {
  writeSync(1, url + '\\n')
  return next(url, context)
}`

/** What takes long to load, and is loaded when it is first needed. */
const LATER = ['@sinclair/typebox', 'prom-client', 'saxes', 'undici', 'yauzl']

it('Importing our packages loads nothing that a host does not need to start', () => {
  const program = `import { register } from 'node:module'
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(PRINT)}`)})
for (const name of ['core', 'storage-drizzle', 'fastify-integrations', 'delivery-worker'])
  await import('@quickquote/' + name)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(ROOT, 'examples/host'),
    encoding: 'utf8',
  })
  const loaded = new Set(printed.match(/(?<=^file:.*\/node_modules\/)(@[^/\n]+\/)?[^/\n]+(?=\/[^\n]*$)/gm))
  expect([...loaded]).toContain('fastify-plugin')
  expect([...loaded].filter((name) => LATER.includes(name))).toEqual([])
})
