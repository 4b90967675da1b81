import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { runExample, temporaryFolder, urlOf } from '../demo/example-process.ts'
import { createPartner } from '../demo/partner-client.ts'

const require = createRequire(import.meta.url)
const COLLECTION = resolve(import.meta.dirname, '../../docs/reference/postman-collection.json')

interface Report {
  readonly run: {
    readonly stats: { readonly assertions: { readonly total: number; readonly failed: number } }
    readonly failures: readonly { readonly error: { readonly message: string } }[]
    readonly executions: readonly {
      readonly item: { readonly name: string }
      readonly response?: { readonly code: number }
    }[]
  }
}

it('the collection takes a partner from the start of a quote to the link of its document, in a public runner', async () => {
  const database = await emptyDatabase()
  const folder = await temporaryFolder()
  const server = runExample('server', {
    DATABASE_URL: database.url,
    DATA_FOLDER: folder.path,
    PIPELINE_STEP_MS: '10',
  })
  onTestFinished(async () => {
    await server.end('SIGTERM')
    await database.drop()
    await folder.remove()
  })
  const url = await urlOf(server)
  const { apiKey } = await createPartner(url, { url: 'https://crm.example.com/hook' })

  for (const name of ['requirements.md', 'screens.txt']) {
    await writeFile(resolve(folder.path, name), '# Customers sign in and see their invoices.')
  }
  const report = await runCollection(folder.path, { baseUrl: url, apiKey })

  expect(report.run.failures.map(({ error }) => error.message)).toEqual([])
  const steps = report.run.executions.map(({ item, response }) => `${item.name}: ${response?.code}`)
  expect([...new Set(steps)]).toEqual([
    'Test the connection: 200',
    'Start a Quick Quote: 202',
    'Start a Quick Quote from files: 202',
    'List the quotations of the organization: 200',
    'Get the summary of a quotation: 200',
    'Get the progress of a quotation, step by step: 200',
    'Get the proposal of a quotation: 200',
    'Get a short-lived link to the document of a proposal: 200',
    'Read the events of the organization: 200',
    'Cancel a quotation: 409',
  ])
  expect(report.run.stats.assertions).toMatchObject({ total: steps.length, failed: 0 })
  // It waits at most 20 seconds at a time, and a quote takes less than one.
  expect(steps.filter((step) => step.startsWith('Get the summary'))).toHaveLength(1)

  const sql = postgres(database.url, { max: 1 })
  onTestFinished(() => sql.end())
  expect(
    await sql`select q.metadata::text, count(files.id)::int as files, count(distinct keys.key)::int as keys
      from quickquote.quotations q
      left join quickquote.quotation_files files on files.quotation_id = q.id
      left join quickquote.idempotency_keys keys on keys.quotation_id = q.id
      group by q.id order by files`,
  ).toEqual([
    { metadata: '{"region": "EMEA"}', files: 0, keys: 1 },
    { metadata: '{"region": "EMEA"}', files: 2, keys: 1 },
  ])
})

/** Runs it with newman, the runner of Postman, as the guide says. */
async function runCollection(folder: string, variables: Record<string, string>): Promise<Report> {
  const newman = require.resolve('newman/bin/newman.js')
  const report = resolve(folder, 'report.json')
  const values = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  // It exits with 1 if a request fails; the report names it.
  await promisify(execFile)(process.execPath, [
    newman,
    'run',
    COLLECTION,
    '--working-dir',
    folder,
    ...values,
    '--reporters',
    'json',
    '--reporter-json-export',
    report,
  ]).catch(() => undefined)
  return JSON.parse(await readFile(report, 'utf8'))
}
