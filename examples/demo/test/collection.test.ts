import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { runExample, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner } from './partner-client.ts'

const require = createRequire(import.meta.url)
const COLLECTION = resolve(import.meta.dirname, '../../../docs/reference/postman-collection.json')

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

  const report = await runCollection(folder.path, { baseUrl: url, apiKey })

  expect(report.run.failures.map(({ error }) => error.message)).toEqual([])
  const steps = report.run.executions.map(({ item, response }) => `${item.name}: ${response?.code}`)
  expect([...new Set(steps)]).toEqual([
    'Start a Quick Quote: 202',
    'List the quotations of the organization: 200',
    'Test the connection: 200',
    'Get the summary of a quotation: 200',
    'Get the progress of a quotation, step by step: 200',
    'Get the proposal of a quotation: 200',
    'Get a short-lived link to the document of a proposal: 200',
    'Read the events of the organization: 200',
    'Cancel a quotation: 409',
  ])
  expect(report.run.stats.assertions).toMatchObject({ total: steps.length, failed: 0 })
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
    ...values,
    '--reporters',
    'json',
    '--reporter-json-export',
    report,
  ]).catch(() => undefined)
  return JSON.parse(await readFile(report, 'utf8'))
}
