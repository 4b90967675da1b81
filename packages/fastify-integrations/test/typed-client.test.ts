import createClient from 'openapi-fetch'
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { components, paths } from './generated/openapi.d.ts'
import { ACME, useHost } from './support/host.ts'

// The types come from openapi-typescript, out of docs/reference/openapi.json; `scripts/reference.mjs` writes both.
const context = useHost()
let client: ReturnType<typeof createClient<paths>>

beforeAll(async () => {
  const { key } = await context.host.createKey()
  client = createClient<paths>({ baseUrl: context.host.url, headers: { 'X-API-Key': key } })
})

async function start(): Promise<string> {
  const { data } = await client.POST('/v1/integrations/quotations', {
    body: { name: 'Customer portal', requirementsText: 'Customers sign in and see their invoices.' },
  })
  return data?.quotation_id ?? ''
}

describe('a client that was generated from the OpenAPI document', () => {
  it('starts a quote and follows it to the link of its document', async () => {
    const { data: started, response } = await client.POST('/v1/integrations/quotations', {
      body: { requirementsText: 'Customers sign in and see their invoices.' },
    })
    expect(response.status).toBe(202)
    expectTypeOf(started).toEqualTypeOf<components['schemas']['StartedQuotation'] | undefined>()
    const id = started?.quotation_id ?? ''
    const report = context.host.integrations.pipeline(id)
    const steps = [
      'requirement_analysis',
      'functional_specification',
      'work_breakdown',
      'effort_estimation',
    ] as const
    for (const step of steps) await report.stepCompleted(step)
    await report.proposalReady({ name: 'Offer', documentId: ACME })
    await report.completed()

    const params = { path: { id } }
    const { data: quotation } = await client.GET('/v1/integrations/quotations/{id}', { params })
    expectTypeOf(quotation?.status).toEqualTypeOf<'queued' | 'running' | 'completed' | 'failed' | undefined>()
    expect(quotation).toMatchObject({ id, status: 'completed', processed_step: 'proposal' })

    const { data: pipeline } = await client.GET('/v1/integrations/quotations/{id}/pipeline', { params })
    expect(pipeline?.progress).toEqual({ completed: 5, total: 5 })

    const { data: proposal } = await client.GET('/v1/integrations/quotations/{id}/proposal', { params })
    expectTypeOf(proposal?.document_id).toEqualTypeOf<string | null | undefined>()
    const { data: link } = await client.GET('/v1/integrations/proposals/{id}/document-url', {
      params: { path: { id: proposal?.id ?? '' } },
    })
    expect(link?.url).toBe(`https://files.example.com/${ACME}`)
  })

  it('sends files, and repeats a start under an Idempotency-Key', async () => {
    const upload = () =>
      client.POST('/v1/integrations/quotations', {
        params: { header: { 'Idempotency-Key': 'deal-1042' } },
        body: { name: 'Customer portal', files: [new Blob(['Customers see their invoices.'])] },
        bodySerializer(body) {
          const form = new FormData()
          if ('files' in body)
            for (const file of body.files ?? []) form.append('files', file, 'requirements.md')
          return form
        },
      })
    const [first, second] = [await upload(), await upload()]
    expect(first.response.status).toBe(202)
    expect(second.data).toEqual(first.data)
    expect(second.response.headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('switches on the codes of a refusal', async () => {
    const id = await start()
    const { error, response } = await client.GET('/v1/integrations/quotations/{id}/proposal', {
      params: { path: { id } },
    })
    expect(response.status).toBe(404)
    expectTypeOf<NonNullable<typeof error>['code']>().extract<'PROPOSAL_NOT_FOUND'>().not.toBeNever()
    expectTypeOf<NonNullable<typeof error>['code']>().extract<'STATE_CONFLICT'>().toBeNever()
    expect(error).toMatchObject({ code: 'PROPOSAL_NOT_FOUND', status: 404 })
  })

  it('configures webhooks as a member of the organization', async () => {
    const { data } = await client.POST('/v1/organizations/{organizationId}/webhooks', {
      params: { path: { organizationId: ACME } },
      headers: { 'X-Member': 'acme-admin' },
      body: { name: 'CRM', url: 'https://crm.example.com/hook', events: ['quotation.completed'] },
    })
    expectTypeOf(data?.secret).toEqualTypeOf<string | undefined>()
    expect(data?.secret).toMatch(/^whsec_/)
  })
})

it('the types of a start ask for the requirements', () => {
  type Body = NonNullable<
    paths['/v1/integrations/quotations']['post']['requestBody']
  >['content']['application/json']
  expectTypeOf<Body>().toHaveProperty('requirementsText').toEqualTypeOf<string>()
})
