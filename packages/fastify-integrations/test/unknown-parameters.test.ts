import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, GLOBEX, NOWHERE, useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 1000 } } })
let key: string
beforeAll(async () => {
  key = (await context.host.createKey()).key
})

const LIST = '/v1/integrations/quotations'
const FEED = '/v1/integrations/events'
const LOG = `/v1/organizations/${ACME}/webhooks/deliveries`

const ask = (path: string, method = 'GET') => context.host.call(method, path, { key, member: 'acme-admin' })

describe('a list refuses an unknown query parameter, so that a misspelled filter does not return everything:', () => {
  it.each([
    [LIST, 'stat', 'status'],
    [LIST, 'created_from', null],
    [LIST, 'Limit', 'limit'],
    [FEED, 'type', 'types'],
    [FEED, 'generation-source', 'generation_source'],
    [LOG, 'endpoint', 'endpoint_id'],
    [LOG, 'limits', 'limit'],
  ])('%s?%s', async (path, name, meant) => {
    const { status, body } = await ask(`${path}?${name}=1`)
    expect(status).toBe(400)
    const detail =
      meant === null ? 'is not a parameter of this route. Parameters: ' : `Did you mean ${meant}?`
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: `?${name}`, detail: expect.stringContaining(detail) }],
    })
    expect((await ask(`${path}?${name}=1`, 'HEAD')).status).toBe(400)
  })

  it.each([LIST, FEED, LOG])('not an organization, which is ignored: %s', async (path) => {
    const { status } = await ask(`${path}?organization_id=${GLOBEX}&organizationId=${GLOBEX}&limit=1`)
    expect(status).toBe(200)
  })

  it('names each, beside other faults, after authentication', async () => {
    const { body } = await ask(`${LIST}?a=1&b=2&limit=0`)
    const pointers = (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)
    expect(pointers.sort()).toEqual(['?a', '?b', '?limit'])
    expect((await context.host.call('GET', `${LIST}?a=1`)).status).toBe(401)
    expect((await context.host.call('GET', `${LOG}?a=1`, { member: 'acme-member' })).status).toBe(403)
  })
})

it('Other routes ignore unknown parameters', async () => {
  expect((await ask(`/v1/integrations/quotations/${NOWHERE}?a=1`)).status).toBe(404)
  expect((await ask(`/v1/organizations/${ACME}/webhooks?a=1`)).status).toBe(200)
})
