import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost, YEAR_AHEAD } from './support/host.ts'

const context = useHost()
const path = `/v1/organizations/${ACME}/api-keys`
const create = (json: unknown) => context.host.call('POST', path, { member: 'acme-member', json })
const days = (count: number) => new Date(Date.now() + count * 24 * 60 * 60 * 1000).toISOString()

describe('POST /v1/organizations/:organizationId/api-keys', () => {
  it('answers 201 with the record and the key, shown once, with no-store', async () => {
    const { status, headers, body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: ACME,
      owner_id: 'acme-member',
      name: 'CRM',
      masked_key: expect.stringMatching(/^pk_\w{4}…\w{4}$/),
      status: 'active',
      expires_at: YEAR_AHEAD,
      last_used_at: null,
      replaced_by: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      key: expect.stringMatching(/^pk_[0-9A-Za-z]{49}$/),
    })
    const key = String(body['key'])
    expect(body['masked_key']).toBe(`${key.slice(0, 7)}…${key.slice(-4)}`)
  })

  it('stores only the hash of the key', async () => {
    const { body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
    const [row] =
      await context.sql`select *, api_keys::text as everything from quickquote.api_keys where id = ${String(body['id'])}`
    expect(row?.['key_hash']).toEqual(createHash('sha256').update(String(body['key'])).digest())
    expect(row?.['everything']).not.toContain(String(body['key']).slice(3, 40))
  })

  it('ignores an organization, an owner or a key in the body', async () => {
    const { body } = await create({
      name: 'CRM',
      expires_at: YEAR_AHEAD,
      organization_id: GLOBEX,
      owner_id: 'acme-admin',
      key: 'pk_mine',
      status: 'revoked',
    })
    expect(body).toMatchObject({ organization_id: ACME, owner_id: 'acme-member', status: 'active' })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { expires_at: YEAR_AHEAD }, '/name'],
    ['an empty name', { name: '', expires_at: YEAR_AHEAD }, '/name'],
    ['a number for a name', { name: 5, expires_at: YEAR_AHEAD }, '/name'],
    ['null for a name', { name: null, expires_at: YEAR_AHEAD }, '/name'],
    ['a name of 201 characters', { name: 'x'.repeat(201), expires_at: YEAR_AHEAD }, '/name'],
    ['no expiry', { name: 'CRM' }, '/expires_at'],
    ['an expiry that is not a timestamp', { name: 'CRM', expires_at: 'tomorrow' }, '/expires_at'],
    ['an expiry without a time zone', { name: 'CRM', expires_at: '2027-01-01T00:00:00' }, '/expires_at'],
    ['a number for an expiry', { name: 'CRM', expires_at: 4_000_000_000 }, '/expires_at'],
    ['an expiry in the past', { name: 'CRM', expires_at: days(-1) }, '/expires_at'],
    ['an expiry more than two years away', { name: 'CRM', expires_at: days(732) }, '/expires_at'],
  ])('refuses %s with 400', async (_, json, pointer) => {
    const { status, body } = await create(json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it('creates a key that works', async () => {
    const { body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
    const key = String(body['key'])
    const id = await context.host.startQuotation(key)
    expect((await context.host.call('GET', `/v1/integrations/quotations/${id}`, { key })).status).toBe(200)
  })
})
