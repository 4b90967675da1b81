import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { NOWHERE, useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 1000, startsPerMinute: 1000 } } })
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
let key: string
let id: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
  id = await context.host.startQuotation(key, {
    name: 'Portal',
    description: 'Phase 2',
    requirementsText: 'A portal.',
  })
})

const get = (path: string) => context.host.call('GET', `/v1/integrations${path}`, { key })
const report = (quotationId: string) => context.host.integrations.pipeline(quotationId)

async function finish(quotationId: string, documentId?: string): Promise<void> {
  const pipeline = report(quotationId)
  await pipeline.stepCompleted('requirement_analysis')
  await pipeline.stepCompleted('functional_specification')
  await pipeline.stepCompleted('work_breakdown')
  await pipeline.stepCompleted('effort_estimation')
  await pipeline.proposalReady(documentId === undefined ? {} : { documentId })
}

describe('GET /v1/integrations/quotations/:id', () => {
  it('answers 200 with the fields of the specification, and no others', async () => {
    const { status, body } = await get(`/quotations/${id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      name: 'Portal',
      description: 'Phase 2',
      status: 'queued',
      processed_step: 'none',
      source: 'api_key',
      config_id: null,
      error_code: null,
      external_id: null,
      metadata: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    })
  })

  it('shows a generated name and an empty description if the partner gave none', async () => {
    const unnamed = await context.host.startQuotation(key, { requirementsText: 'A portal.' })
    const { body } = await get(`/quotations/${unnamed}`)
    const startedAt = String(body['created_at']).slice(0, 16).replace('T', ' ')
    expect(body).toMatchObject({ name: `Quick Quote ${startedAt}`, description: '' })
  })

  it('also shows quotes that were started in the web app', async () => {
    const organizationId = (await context.sql`select organization_id from quickquote.quotations`)[0]?.[
      'organization_id'
    ]
    const { quotation_id } = await context.host.integrations.quotations.start({
      organizationId,
      source: 'ui',
      body: { requirementsText: 'x' },
    })
    expect((await get(`/quotations/${quotation_id}`)).body).toMatchObject({ source: 'ui' })
  })

  it('shows why a quote failed', async () => {
    const failed = await context.host.startQuotation(key)
    await report(failed).failed({ step: 'requirement_analysis', errorCode: 'MODEL_TIMEOUT' })
    expect((await get(`/quotations/${failed}`)).body).toMatchObject({
      status: 'failed',
      error_code: 'MODEL_TIMEOUT',
    })
  })

  it('accepts an id in capitals', async () => {
    expect((await get(`/quotations/${id.toUpperCase()}`)).body).toMatchObject({ id })
  })

  it('answers 404 for an unknown id', async () => {
    const { status, body } = await get(`/quotations/${NOWHERE}`)
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'QUOTATION_NOT_FOUND' })
  })

  it.each(['abc', '1', `${NOWHERE}0`, '..%2f..%2fetc', '%00', "'%20or%201=1"])(
    'answers 400 for an id that is not a uuid: %s',
    async (wrong) => {
      const { status, body } = await get(`/quotations/${wrong}`)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: ':id' }] })
    },
  )

  it('answers HEAD like GET, without a body', async () => {
    const { status, headers, body } = await context.host.call('HEAD', `/v1/integrations/quotations/${id}`, {
      key,
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toEqual({ text: '' })
  })
})

describe('GET /v1/integrations/quotations/:id/pipeline', () => {
  it('answers 200 with all steps in their order', async () => {
    const quotation = await context.host.startQuotation(key)
    await report(quotation).stepCompleted('requirement_analysis')
    await report(quotation).stepStarted('functional_specification')
    const { status, body } = await get(`/quotations/${quotation}/pipeline`)
    expect(status).toBe(200)
    expect(body).toEqual({
      quotation_id: quotation,
      status: 'running',
      processed_step: 'requirement_analysis',
      progress: { completed: 1, total: 5 },
      steps: [
        ['requirement_analysis', 'completed', TIMESTAMP, TIMESTAMP],
        ['functional_specification', 'running', TIMESTAMP, null],
        ['work_breakdown', 'pending', null, null],
        ['effort_estimation', 'pending', null, null],
        ['proposal', 'pending', null, null],
      ].map(([step, status, started, completed]) => ({
        step,
        status,
        started_at: started === null ? null : expect.stringMatching(TIMESTAMP),
        completed_at: completed === null ? null : expect.stringMatching(TIMESTAMP),
        error_code: null,
      })),
      error_code: null,
      updated_at: expect.stringMatching(TIMESTAMP),
    })
  })

  it('answers 404 for an unknown id', async () => {
    expect((await get(`/quotations/${NOWHERE}/pipeline`)).body).toMatchObject({ code: 'QUOTATION_NOT_FOUND' })
  })
})

describe('GET /v1/integrations/quotations/:id/proposal', () => {
  it('answers 404 until there is a proposal', async () => {
    const { status, body } = await get(`/quotations/${id}/proposal`)
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'PROPOSAL_NOT_FOUND' })
  })

  it('answers 200 with the fields of the specification, document_id null before the document exists', async () => {
    const quotation = await context.host.startQuotation(key)
    await finish(quotation)
    const { status, body } = await get(`/quotations/${quotation}/proposal`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: expect.any(String),
      status: 'completed',
      document_id: null,
      quotation_id: quotation,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    })
  })

  it('answers 404 for an unknown quotation', async () => {
    expect((await get(`/quotations/${NOWHERE}/proposal`)).body).toMatchObject({ code: 'QUOTATION_NOT_FOUND' })
  })
})

describe('GET /v1/integrations/proposals/:id/document-url', () => {
  it('answers 404 while the proposal has no document, and 200 with url and expires_at afterwards', async () => {
    const quotation = await context.host.startQuotation(key)
    await finish(quotation)
    const proposal = (await get(`/quotations/${quotation}/proposal`)).body['id']
    const before = await get(`/proposals/${proposal}/document-url`)
    expect(before.status).toBe(404)
    expect(before.body).toMatchObject({ code: 'DOCUMENT_NOT_READY' })

    const documentId = randomUUID()
    await report(quotation).proposalReady({ documentId })
    const after = await get(`/proposals/${proposal}/document-url`)
    expect(after.status).toBe(200)
    expect(after.body).toEqual({
      url: `https://files.example.com/${documentId}`,
      expires_at: expect.stringMatching(TIMESTAMP),
    })
    expect(after.headers.get('cache-control')).toBe('no-store')
  })

  it('answers 404 for an unknown proposal, and for the id of a quotation', async () => {
    for (const wrong of [NOWHERE, id]) {
      const { status, body } = await get(`/proposals/${wrong}/document-url`)
      expect(status).toBe(404)
      expect(body).toMatchObject({ code: 'PROPOSAL_NOT_FOUND' })
    }
  })
})
