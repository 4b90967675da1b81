import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DocumentUrl, PipelineStatus, Proposal, Quotation } from '@quickquote/core'
import { type Certificate, type ReceivedWebhook, startReceiver } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../../examples/demo/src/api-client.ts'
import { EXPECTED_EVENTS } from '../../examples/demo/src/headless-quote.ts'
import { hostSecrets } from '../../examples/demo/src/host-secrets.ts'
import { ACME } from '../../examples/demo/src/members.ts'
import { endExamples, runExample, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner, read, signIn, startQuote } from './partner-client.ts'
import { eventOf } from './received-event.ts'
import { secretsIn } from './secrets.ts'

let url: string
let certificate: Certificate

beforeAll(async () => {
  const database = await emptyDatabase()
  const folder = await temporaryFolder()
  const server = runExample('server', {
    DATABASE_URL: database.url,
    DATA_FOLDER: folder.path,
    PIPELINE_STEP_MS: '30',
  })
  url = await urlOf(server)
  certificate = (await hostSecrets(folder.path)).certificate

  return async () => {
    expect(await server.end('SIGTERM')).toBe(0)
    await database.drop()
    await folder.remove()
    expect(secretsIn(server.output(), [database.url])).toEqual([])
  }
})

afterAll(endExamples)

/** A partner with its own receiver. */
async function partner(endpoint: { trigger_mode?: string } = {}) {
  const receiver = await startReceiver({ certificate })
  onTestFinished(() => receiver.stop())
  return { receiver, ...(await createPartner(url, { url: `${receiver.url}/hook`, ...endpoint })) }
}

/** A partner's code with only Node: the specification's "Receiver verification rules". */
function verifies({ headers, rawBody }: ReceivedWebhook, secret: string): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const [version, given = ''] = String(headers['x-service-signature']).split('=')
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const bytes = Buffer.from(given, 'hex')
  return (
    version === 'v1' &&
    /^[0-9a-f]{64}$/.test(given) &&
    timingSafeEqual(bytes, expected) &&
    Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  )
}

describe('a headless quote that succeeds', () => {
  it('sends the six events of the catalog, once each, signed so that node:crypto alone verifies them', async () => {
    const { receiver, apiKey, secret } = await partner()
    const quotationId = await startQuote(url, apiKey, { requirementsText: '- One\n- Two' })
    const requests = []
    for (const type of EXPECTED_EVENTS) {
      requests.push(await receiver.next((each) => eventOf(each).type === type))
    }

    const ofThisQuote = receiver.requests.filter((each) => eventOf(each).data.quotation_id === quotationId)
    expect(ofThisQuote).toHaveLength(EXPECTED_EVENTS.length)
    for (const received of requests) {
      const event = eventOf(received)
      expect(received.method).toBe('POST')
      expect(received.path).toBe('/hook')
      expect(verifies(received, secret)).toBe(true)
      expect(verifies({ ...received, rawBody: Buffer.from(`${received.rawBody} `) }, secret)).toBe(false)
      expect(received.headers['content-type']).toBe('application/json')
      expect(received.headers['x-service-event-id']).toBe(event.id)
      expect(received.headers['x-service-event-type']).toBe(event.type)
      expect(received.headers['x-service-timestamp']).toMatch(/^\d{10}$/)
    }

    const proposal = await read<Proposal>(url, apiKey, `/quotations/${quotationId}/proposal`)
    expect(requests.map((each) => JSON.parse(each.rawBody.toString('utf8')))).toEqual(
      EXPECTED_EVENTS.map((type) => {
        const step = type === 'quotation.completed' ? 'proposal' : type.split('.')[1]
        return {
          id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
          type,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          organization_id: ACME,
          data: {
            quotation_id: quotationId,
            proposal_id: step === 'proposal' ? proposal.id : null,
            step,
            status: 'completed',
            error_code: null,
            generation_source: 'api_key',
          },
        }
      }),
    )
    expect(new Set(requests.map((each) => eventOf(each).id)).size).toBe(EXPECTED_EVENTS.length)
    expect(await read<Quotation>(url, apiKey, `/quotations/${quotationId}`)).toMatchObject({
      status: 'completed',
      processed_step: 'proposal',
      source: 'api_key',
      error_code: null,
    })
  })

  it('has a proposal document behind a signed HTTPS link only', async () => {
    const { receiver, apiKey } = await partner()
    const quotationId = await startQuote(url, apiKey, { requirementsText: '- One\n- Two' })
    await receiver.next((each) => eventOf(each).type === 'quotation.completed')
    const proposal = await read<Proposal>(url, apiKey, `/quotations/${quotationId}/proposal`)
    const link = await read<DocumentUrl>(url, apiKey, `/proposals/${proposal.id}/document-url`)
    const dispatcher = new Agent({ connect: { ca: certificate.cert } })
    onTestFinished(() => dispatcher.close())

    expect(link.url).toMatch(/^https:\/\//)
    const { statusCode, headers, body } = await request(link.url, { dispatcher })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/pdf')
    expect((await body.text()).startsWith('%PDF-')).toBe(true)

    const expires = Number(new URL(link.url).searchParams.get('expires'))
    const wrong = [
      link.url.replace(/signature=./, (match) => `signature=${match.endsWith('0') ? '1' : '0'}`),
      link.url.replace(`expires=${expires}`, `expires=${expires + 60}`),
      link.url.replace(/signature=.*/, 'signature='),
      link.url.replace(proposal.document_id ?? '', quotationId),
    ]
    for (const wrongUrl of wrong) {
      const refused = await request(wrongUrl, { dispatcher })
      await refused.body.dump()
      expect(refused.statusCode).toBe(403)
    }
  })
})

describe('a headless quote that fails', () => {
  it('ends with quotation.failed, with the step and the error code of the pipeline', async () => {
    const { receiver, apiKey, secret } = await partner()
    const quotationId = await startQuote(url, apiKey, {
      requirementsText: '- Cannot be done',
      metadata: { demo: { fail_at: 'work_breakdown' } },
    })
    const failed = await receiver.next((each) => eventOf(each).type === 'quotation.failed')

    expect(verifies(failed, secret)).toBe(true)
    expect(eventOf(failed).data).toEqual({
      quotation_id: quotationId,
      proposal_id: null,
      step: 'work_breakdown',
      status: 'failed',
      error_code: 'WORK_BREAKDOWN_FAILED',
      generation_source: 'api_key',
    })
    const pipeline = await read<PipelineStatus>(url, apiKey, `/quotations/${quotationId}/pipeline`)
    expect(pipeline).toMatchObject({
      status: 'failed',
      processed_step: 'functional_specification',
      error_code: 'WORK_BREAKDOWN_FAILED',
    })
  })
})

describe('a quote that a member starts in the web app', () => {
  it('notifies only endpoints with the trigger mode always', async () => {
    const headlessOnly = await partner()
    const always = await partner({ trigger_mode: 'always' })
    const { body: started } = await call<{ quotation_id: string }>(`${url}/quotes`, {
      status: 202,
      headers: await signIn(url, 'member@acme.example'),
      body: { organization_id: ACME, requirementsText: '- From the web app' },
    })
    const completed = await always.receiver.next((each) => eventOf(each).type === 'quotation.completed')

    expect(eventOf(completed).data).toMatchObject({
      quotation_id: started.quotation_id,
      generation_source: 'ui',
    })
    expect(headlessOnly.receiver.requests).toEqual([])
  })

  it.each([
    ['without a session', {}, 401],
    ['in another organization', { email: 'admin@globex.example' }, 403],
  ])('is refused %s', async (_, { email }: { email?: string }, status) => {
    await call(`${url}/quotes`, {
      status,
      headers: email === undefined ? {} : await signIn(url, email),
      body: { organization_id: ACME, requirementsText: '- Not mine' },
    })
  })
})

it('refuses a wrong password', async () => {
  await call(`${url}/login`, { status: 401, body: { email: 'admin@acme.example', password: 'guess' } })
})
