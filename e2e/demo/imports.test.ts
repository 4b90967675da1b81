import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it } from 'vitest'
import { ROOT } from '../docs/pages.ts'

/** Prints the URL of each module that is loaded. */
const PRINT = `import { writeSync } from 'node:fs'
export function load(url, context, next) {
  writeSync(1, url + '\\n')
  return next(url, context)
}`

const IMPORT = `import { register } from 'node:module'
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(PRINT)}`)})
const { createIntegrations } = await import('@quickquote/core')
const { drizzleStorage } = await import('@quickquote/storage-drizzle')
const { fastifyIntegrations } = await import('@quickquote/fastify-integrations')
const { createDeliveryWorker } = await import('@quickquote/delivery-worker')
`

const ANSWER = `const { default: Fastify } = await import('fastify')
const integrations = createIntegrations({
  storage: drizzleStorage({ connectionString: process.env.DATABASE_URL }),
  encryptionKeys: [{ id: 'first', key: Buffer.alloc(32, 1) }],
  pipeline: { async start() {}, async signDocumentUrl() { return '' } },
})
const app = Fastify()
const worker = createDeliveryWorker({ integrations })
app.register(fastifyIntegrations, { integrations, worker, resolveSession: () => null })
const { statusCode } = await app.inject('/v1/integrations/quotations')
console.log('answered', statusCode)
await app.close()
await integrations.close()
`

/** What takes long to load, and is loaded when it is first needed. */
const LATER = ['@fastify/swagger', '@sinclair/typebox', 'prom-client', 'saxes', 'undici', 'yaml', 'yauzl']

const database = useDatabase()

it.each([
  ['Importing our packages', IMPORT],
  ['A host with a worker, until its first response,', `${IMPORT}${ANSWER}`],
])('%s loads nothing that is not needed yet', (_, program) => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(ROOT, 'examples/host'),
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  })
  const loaded = new Set(printed.match(/(?<=^file:.*\/node_modules\/)(@[^/\n]+\/)?[^/\n]+(?=\/[^\n]*$)/gm))
  expect([...loaded]).toContain('fastify-plugin')
  expect([...loaded].filter((name) => LATER.includes(name))).toEqual([])
  if (program !== IMPORT) expect(printed).toContain('answered 401')
})
