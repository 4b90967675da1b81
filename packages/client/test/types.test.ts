import openApiClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { components, paths } from '../src/generated/openapi.ts'
import { useHost } from './support/host.ts'

const host = useHost()
const REQUIREMENTS = { requirementsText: 'Customers sign in and see their invoices.' }

async function generatedClient() {
  const { partner } = await host().partner()
  return openApiClient<paths>({ baseUrl: host().url, headers: { 'X-API-Key': partner.key } })
}

describe('Types generated from the OpenAPI document', () => {
  it('match the responses', async () => {
    const client = await generatedClient()
    const { data: started } = await client.POST('/v1/integrations/quotations', { body: REQUIREMENTS })
    expectTypeOf(started).toEqualTypeOf<components['schemas']['StartedQuotation'] | undefined>()
    const params = { path: { id: started?.quotation_id ?? '' } }
    const { data: quotation } = await client.GET('/v1/integrations/quotations/{id}', { params })
    expectTypeOf(quotation?.status).toEqualTypeOf<'queued' | 'running' | 'completed' | 'failed' | undefined>()
    expect(quotation).toMatchObject({ id: started?.quotation_id, status: 'queued' })
  })

  it('accept files in a form', async () => {
    const client = await generatedClient()
    const { response } = await client.POST('/v1/integrations/quotations/files', {
      body: { name: 'Customer portal', files: [new Blob(['Customers see their invoices.'])] },
      bodySerializer(body) {
        const form = new FormData()
        for (const file of body.files ?? []) form.append('files', file, 'requirements.md')
        return form
      },
    })
    expect(response.status).toBe(202)
  })

  it('have the error codes of each route', async () => {
    const client = await generatedClient()
    const { data } = await client.POST('/v1/integrations/quotations', { body: REQUIREMENTS })
    const { error, response } = await client.GET('/v1/integrations/quotations/{id}/proposal', {
      params: { path: { id: data?.quotation_id ?? '' } },
    })
    expect(response.status).toBe(404)
    expectTypeOf<NonNullable<typeof error>['code']>().extract<'PROPOSAL_NOT_FOUND'>().not.toBeNever()
    expectTypeOf<NonNullable<typeof error>['code']>().extract<'STATE_CONFLICT'>().toBeNever()
    expect(error).toMatchObject({ code: 'PROPOSAL_NOT_FOUND', status: 404 })
  })

  it('require the requirements of a start', () => {
    type Start = NonNullable<paths['/v1/integrations/quotations']['post']['requestBody']>['content']
    expectTypeOf<Start['application/json']>().toHaveProperty('requirementsText').toEqualTypeOf<string>()
  })
})
