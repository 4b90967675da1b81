import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase, itWith } from '@quickquote/dev-servers/vitest'
import { beforeAll, expect } from 'vitest'
import { hostSecrets } from '../src/host-secrets.ts'
import { runExample, type TemporaryFolder, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner } from './partner-client.ts'

let folder: TemporaryFolder
let environment: Record<string, string>

beforeAll(async () => {
  const database = await emptyDatabase()
  folder = await temporaryFolder()
  const server = runExample('server', {
    DATABASE_URL: database.url,
    DATA_FOLDER: folder.path,
    PIPELINE_STEP_MS: '10',
  })
  const url = await urlOf(server)
  const { apiKey } = await createPartner(url, { url: 'https://crm.example.com/hook' })
  const { certificate } = await hostSecrets(folder.path)
  await writeFile(join(folder.path, 'ca.pem'), certificate.cert)
  environment = { BASE_URL: url, API_KEY: apiKey, CURL_CA_BUNDLE: join(folder.path, 'ca.pem') }

  return async () => {
    await server.end('SIGTERM')
    await database.drop()
    await folder.remove()
  }
})

async function run(lines: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `set -eu\n${lines}`], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], ...environment },
  })
  return stdout.trim()
}

itWith('curl')('every line of the guide to the event feed works', async () => {
  const guide = await readFile(resolve(import.meta.dirname, '../../../docs/guides/event-feed.md'), 'utf8')
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  await run(`curl -sS "$BASE_URL/v1/integrations/quotations" -H "X-API-Key: $API_KEY" \\
    -H 'Content-Type: application/json' -d '{ "requirementsText": "Invoices." }'`)
  const [first = '', second = '', wait = ''] = blocks
  await expect
    .poll(() => run(`curl -sS "$BASE_URL/v1/integrations/events" -H "X-API-Key: $API_KEY"`))
    .toContain('"type":"quotation.completed"')
  expect(await run(first)).toMatch(/^link: <\/v1\/integrations\/events\?limit=2&after=[\w-]+>; rel="next"$/i)
  expect(JSON.parse(await run(second)).map(({ type }: { type: string }) => type)).toEqual([
    'quotation.work_breakdown.completed',
    'quotation.effort_estimation.completed',
  ])
  expect(await run(wait)).toBe('[]')
})
