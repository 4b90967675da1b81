import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { STEPS } from '@quickquote/core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EXAMPLE } from '../src/openapi/examples.ts'
import { useDeliveries, WEBHOOKS } from './support/webhooks.ts'

/** Schemathesis 4.32 of PyPI, which CI does not install. */
const PROGRAM = process.env['SCHEMATHESIS'] ?? 'schemathesis'
const isInstalled = /\b4\.32\./.test(String(spawnSync(PROGRAM, ['--version']).stdout))
if (!isInstalled) {
  console.log(
    'Skipped: Schemathesis. To run it: pip install schemathesis==4.32.0, or set SCHEMATHESIS to its path',
  )
}

const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'unsupported_method'],
  ...['response_headers_conformance', 'response_schema_conformance', 'allow_header_conformance'],
]

const context = useDeliveries({ integrations: { limits: { enabled: false, eventWaits: 0 } } })

/** A document that is tested with the resources of `ids` instead of its examples. */
async function test(name: string, headers: Record<string, string>, ids: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  let document = await (await fetch(`${context.host.url}/api-docs/${name}`)).text()
  for (const [of, id] of Object.entries(ids)) {
    document = document.replaceAll(EXAMPLE[of as keyof typeof EXAMPLE], id)
  }
  await writeFile(join(folder, 'openapi.json'), document)
  const given = Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`])
  const phases = ['--phases', 'examples,coverage', '--seed', '1', '--continue-on-failure']
  const { stdout } = await promisify(execFile)(
    PROGRAM,
    [
      'run',
      'openapi.json',
      '--url',
      context.host.url,
      ...given,
      ...phases,
      '--checks',
      CHECKS.join(','),
      '--no-color',
    ],
    { cwd: folder, maxBuffer: 1e8 },
  ).catch((failure: { stdout: string }) => failure)
  expect(stdout).toMatch(/Tested: +\d\d/)
  return stdout
}

describe.skipIf(!isInstalled)('Schemathesis finds no 5xx, undocumented answer or wrong Allow', () => {
  const ids: Record<string, string> = {}
  let key: string

  beforeAll(async () => {
    const { host, sql } = context
    const created = await host.createKey()
    key = created.key
    const { id: endpointId } = await context.newEndpoint({ events: ['quotation.proposal.completed'] })
    const quotationId = await host.startQuotation(key)
    const report = host.integrations.pipeline(quotationId)
    for (const step of STEPS.slice(0, -1)) await report.stepCompleted(step)
    await report.proposalReady({ documentId: randomUUID() })
    await report.stepCompleted('proposal')
    await context.attempted(1, endpointId)
    const [attempt] = await sql`select delivery_id from quickquote.delivery_attempts`
    const proposal = await host.call('GET', `/v1/integrations/quotations/${quotationId}/proposal`, { key })
    const replay = await host.call('POST', `${WEBHOOKS}/${endpointId}/replay`, {
      member: 'acme-admin',
      json: { since: new Date(Date.now() - 60_000).toISOString() },
    })
    const { id: apiKeyId } = await host.createKey()
    Object.assign(ids, { endpointId, quotationId, apiKeyId, deliveryId: attempt?.['delivery_id'] })
    Object.assign(ids, { proposalId: proposal.body['id'], replayId: replay.body['id'] })
  })

  it('in the routes of partners', async () => {
    expect(await test('partners/json', { 'X-API-Key': key }, ids)).not.toMatch(/ FAILURES | ERRORS /)
  })

  it('in the routes of members', async () => {
    expect(await test('members/json', { 'X-Member': 'acme-admin' }, ids)).not.toMatch(/ FAILURES | ERRORS /)
  })
})
