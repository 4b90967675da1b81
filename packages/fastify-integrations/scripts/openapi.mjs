// Writes docs/reference/openapi.json, which is what the plugin serves at /api-docs/json with its default options, and from
// it the types of the client that the tests use. With --check it only says whether both are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createIntegrations } from '@quickquote/core'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

async function readDocument() {
  const app = Fastify()
  const integrations = createIntegrations({
    // Nothing connects: the document is made of the route table alone.
    storage: drizzleStorage({ connectionString: 'postgres://127.0.0.1:1/nowhere' }),
    encryptionKeys: [{ id: 'none', key: Buffer.alloc(32) }],
    pipeline: { async start() {}, async signDocumentUrl() {} },
  })
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
  const answer = await app.inject('/api-docs/json')
  await app.close()
  await integrations.close()
  return answer.json()
}

/** A file is text in JSON, so generators take it for a string. */
function transform({ format }) {
  return format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined
}

const document = await readDocument()
const files = {
  '../../../docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  '../test/generated/openapi.d.ts': astToString(
    await openapiTypes(document, {
      transform,
      // Fields that have a default may be left out.
      defaultNonNullable: false,
    }),
  ),
}

for (const [path, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(path, import.meta.url))
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not up to date. Run: npx -y pnpm@12.21.0 openapi`)
    process.exitCode = 1
  }
}
