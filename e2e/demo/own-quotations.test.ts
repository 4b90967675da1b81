import type { DeliveryAttempt, DocumentUrl, PipelineStatus, Proposal, Quotation } from '@quickquote/core'
import { type Certificate, startReceiver } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../../examples/demo/src/api-client.ts'
import { EXPECTED_EVENTS } from '../../examples/demo/src/headless-quote.ts'
import { hostSecrets } from '../../examples/demo/src/host-secrets.ts'
import { ACME } from '../../examples/demo/src/members.ts'
import { endExamples, runExample, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner, read, signIn, startQuote } from './partner-client.ts'
import { eventOf } from './received-event.ts'

let url: string
let certificate: Certificate
let sql: postgres.Sql

beforeAll(async () => {
  const database = await emptyDatabase()
  const folder = await temporaryFolder()
  const server = runExample('server', {
    DATABASE_URL: database.url,
    DATA_FOLDER: folder.path,
    PIPELINE_STEP_MS: '30',
    OWN_QUOTATIONS: 'true',
  })
  url = await urlOf(server)
  certificate = (await hostSecrets(folder.path)).certificate
  sql = postgres(database.url, { max: 1 })

  return async () => {
    await sql.end()
    expect(await server.end('SIGTERM')).toBe(0)
    await database.drop()
    await folder.remove()
  }
})

afterAll(endExamples)

async function startUiQuote(): Promise<string> {
  const { body } = await call<{ quotation_id: string }>(`${url}/quotes`, {
    status: 202,
    headers: await signIn(url),
    body: { organization_id: ACME, name: 'From the web app', requirementsText: '- One' },
  })
  return body.quotation_id
}

describe('a host with quotations in its own tables', () => {
  it.each([
    [
      'a headless quote',
      'api_key',
      (apiKey: string) => startQuote(url, apiKey, { requirementsText: '- One' }),
    ],
    ['a quote of the web app', 'ui', startUiQuote],
  ] as const)('%s runs up to its document, and sends its six webhooks', async (_, source, start) => {
    const receiver = await startReceiver({ certificate })
    onTestFinished(() => receiver.stop())
    const { apiKey } = await createPartner(url, { url: receiver.url, trigger_mode: 'always' })
    const id = await start(apiKey)
    const arrived = []
    while (arrived.length < EXPECTED_EVENTS.length) {
      const event = eventOf(await receiver.next((request) => eventOf(request).data.quotation_id === id))
      expect(event.data.generation_source).toBe(source)
      arrived.push(event.type)
    }
    expect(arrived.sort()).toEqual([...EXPECTED_EVENTS].sort())

    expect(await read<Quotation>(url, apiKey, `/quotations/${id}`)).toMatchObject({
      id,
      status: 'completed',
      processed_step: 'proposal',
      source,
    })
    const status = await read<PipelineStatus>(url, apiKey, `/quotations/${id}/pipeline`)
    expect(status.progress).toEqual({ completed: 5, total: 5 })
    const proposal = await read<Proposal>(url, apiKey, `/quotations/${id}/proposal`)
    expect(proposal).toMatchObject({ quotation_id: id, document_id: expect.any(String) })
    const link = await read<DocumentUrl>(url, apiKey, `/proposals/${proposal.id}/document-url`)
    expect(link.url).toContain(proposal.document_id)

    const { body: log } = await call<DeliveryAttempt[]>(
      `${url}/v1/organizations/${ACME}/webhooks/deliveries?limit=1`,
      { status: 200, headers: await signIn(url) },
    )
    expect(log).toMatchObject([{ quotation_id: id, quotation_name: expect.any(String) }])
    expect(await sql`select source, status from host.quotations where id = ${id}`).toEqual([
      { source, status: 'completed' },
    ])
    expect(await sql`select 1 from quickquote.quotations`).toEqual([])
    expect(await sql`select 1 from quickquote.pipeline_starts`).toEqual([])
  })

  it('a key of another organization gets 403 for existing IDs, and 404 for unknown ones', async () => {
    const { apiKey } = await createPartner(url, { url: 'https://crm.example.com/hook' })
    const id = await startQuote(url, apiKey, { requirementsText: '- One' })
    const [row] = await sql<{ id: string }[]>`select id from host.proposals limit 1`
    const globex = (await sql<{ id: string }[]>`select id from host.quotations where id = ${id}`).length
    expect(globex).toBe(1)

    const headers = { 'X-API-Key': await keyOfGlobex() }
    const paths = [`/quotations/${id}`, `/quotations/${id}/pipeline`, `/quotations/${id}/proposal`]
    for (const path of [...paths, `/proposals/${row?.id}/document-url`]) {
      const { body } = await call<{ code: string }>(`${url}/v1/integrations${path}`, { status: 403, headers })
      expect(body.code).toBe('OTHER_ORGANIZATION')
      const nowhere = path.replace(/[0-9a-f-]{36}/, crypto.randomUUID())
      await call(`${url}/v1/integrations${nowhere}`, { status: 404, headers })
    }
  })
})

async function keyOfGlobex(): Promise<string> {
  const { body: session } = await call<{ token: string; organization_id: string }>(`${url}/login`, {
    status: 200,
    body: { email: 'admin@globex.example', password: 'demo-only' },
  })
  const { body } = await call<{ key: string }>(
    `${url}/v1/organizations/${session.organization_id}/api-keys`,
    {
      status: 201,
      headers: { Authorization: `Bearer ${session.token}` },
      body: { name: 'test', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    },
  )
  return body.key
}
