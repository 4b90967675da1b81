import { randomUUID } from 'node:crypto'
import { STEPS } from '@quickquote/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { routeTable } from '../src/route-table.ts'
import { ACME, GLOBEX, NOWHERE, useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 1000 } } })
let acmeKey: string
let globexKey: string
let quotation: string
let proposal: string

beforeAll(async () => {
  acmeKey = (await context.host.createKey('acme-admin')).key
  globexKey = (await context.host.createKey('globex-admin')).key
  quotation = await context.host.startQuotation(acmeKey)
  const pipeline = context.host.integrations.pipeline(quotation)
  for (const step of STEPS.slice(0, -1)) {
    await pipeline.stepCompleted(step)
  }
  await pipeline.proposalReady({ documentId: randomUUID() })
  const answer = await context.host.call('GET', `/v1/integrations/quotations/${quotation}/proposal`, {
    key: acmeKey,
  })
  proposal = String(answer.body['id'])
})

type Path = (id: { quotation: string; proposal: string }) => string

const routes: [name: string, method: string, path: Path][] = [
  ['the summary', 'GET', (id) => `/v1/integrations/quotations/${id.quotation}`],
  ['the pipeline', 'GET', (id) => `/v1/integrations/quotations/${id.quotation}/pipeline`],
  ['the proposal', 'GET', (id) => `/v1/integrations/quotations/${id.quotation}/proposal`],
  ['the document', 'GET', (id) => `/v1/integrations/proposals/${id.proposal}/document-url`],
  ['the cancelling', 'POST', (id) => `/v1/integrations/quotations/${id.quotation}/cancel`],
]

it('every partner route with an id is tried below', () => {
  const rows = routeTable(context.host.integrations, { apiKeyRoutes: true })
    .filter(({ kind }) => kind === 'partner')
    .flatMap(({ prefix, routes }) => routes.map(({ method, url }) => `${method} ${prefix}${url}`))
  const tried = routes.map(([, method, path]) => `${method} ${path({ quotation: ':id', proposal: ':id' })}`)
  expect(tried.sort()).toEqual(rows.filter((row) => row.includes(':')).sort())
})

describe.each(routes)('Authentication, rule 5: %s of another organization', (_, method, path) => {
  it('is a 403 that reveals nothing of the resource', async () => {
    const { status, body } = await context.host.call(method, path({ quotation, proposal }), {
      key: globexKey,
    })
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'OTHER_ORGANIZATION' })
    expect(JSON.stringify(body)).not.toContain(ACME)
  })

  it('is a success for its own organization', async () => {
    const { status } = await context.host.call(method, path({ quotation, proposal }), { key: acmeKey })
    expect(status).toBe(method === 'GET' ? 200 : 202)
  })

  it('is a 404 if it is unknown', async () => {
    const nowhere = path({ quotation: NOWHERE, proposal: NOWHERE })
    expect((await context.host.call(method, nowhere, { key: globexKey })).status).toBe(404)
  })

  it.each([
    ['the query', { query: `?organization_id=${ACME}&organizationId=${ACME}&organization=${ACME}` }],
    ['headers', { headers: { 'X-Organization-Id': ACME, 'Organization-Id': ACME, 'X-Tenant': ACME } }],
  ])(
    'stays a 403 whatever the client says about its organization in %s',
    async (_, { query = '', headers = {} }: { query?: string; headers?: Record<string, string> }) => {
      const answer = await context.host.call(method, path({ quotation, proposal }) + query, {
        key: globexKey,
        headers,
      })
      expect(answer.status).toBe(403)
    },
  )
})

describe('a start', () => {
  it('belongs to the organization of the key, whatever the client says', async () => {
    const id = await context.host.startQuotation(globexKey, { requirementsText: 'x', organization_id: ACME })
    expect(
      (await context.host.call('GET', `/v1/integrations/quotations/${id}`, { key: globexKey })).status,
    ).toBe(200)
    expect(
      (await context.host.call('GET', `/v1/integrations/quotations/${id}`, { key: acmeKey })).status,
    ).toBe(403)
  })
})

describe('session routes', () => {
  it.each(['api-keys', 'webhooks'])(
    '%s: another organization is a 403, like one that does not exist',
    async (resource) => {
      const answers = []
      for (const organization of [GLOBEX, NOWHERE, 'not-a-uuid', '%00']) {
        answers.push(
          await context.host.call('POST', `/v1/organizations/${organization}/${resource}`, {
            member: 'acme-admin',
            json: { organization_id: ACME },
          }),
        )
      }
      for (const { status, body } of answers) {
        expect(status).toBe(403)
        expect({ ...body, instance: '' }).toEqual({ ...answers[0]?.body, instance: '' })
      }
    },
  )
})
