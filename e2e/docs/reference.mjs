// Generates the pages of docs/reference, docs/monitoring, the collection, and the types of the client and of the portal
// from the code. With --check it only lists those that are stale.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { collection } from './reference/collection.mjs'
import { errorsPage } from './reference/errors.mjs'
import { eventsPage } from './reference/events.mjs'
import { httpPage } from './reference/http.mjs'
import { monitoringFiles } from './reference/monitoring.mjs'
import { eventExamples, readService, typesOf } from './reference/openapi.mjs'
import { optionsPage } from './reference/options.mjs'
import { specCoveragePage } from './reference/spec-coverage.mjs'

const ROOT = resolve(import.meta.dirname, '../..')

const service = await readService()
const json = (value) => `${JSON.stringify(value, null, 2)}\n`
const files = {
  'docs/reference/openapi.json': json(service.document),
  'docs/reference/http.md': httpPage(service),
  'docs/reference/events.md': eventsPage(service),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/options.md': await optionsPage(ROOT),
  'docs/reference/spec-coverage.md': specCoveragePage(),
  'docs/reference/postman-collection.json': json(collection(service)),
  'packages/client/src/generated/openapi.ts': await typesOf(service.documents.partners),
  'packages/portal/ui/api/generated/openapi.ts': await typesOf(service.documents.members),
  'packages/client/src/generated/examples.ts': eventExamples(service),
  ...(await monitoringFiles()),
}

for (const [path, text] of Object.entries(files)) {
  const file = join(ROOT, path)
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } else if (!existsSync(file) || text !== readFileSync(file, 'utf8')) {
    console.error(`${path} is stale. Run: npx -y pnpm@12.21.0 reference`)
    process.exitCode = 1
  }
}
