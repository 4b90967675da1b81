import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACME, type Host, startHost, useDatabase } from './support/host.ts'

const PATH = '/v1/integrations/quotations'
const DAY_MS = 24 * 60 * 60 * 1000
const REQUEST = { name: 'Portal', requirementsText: 'Customers sign in.', metadata: { deal: 1 } }

const database = useDatabase()
let host: Host
let key: string
let now = Date.now()

beforeAll(async () => {
  host = await startHost({
    databaseUrl: database.url,
    integrations: {
      now: () => new Date(now),
      limits: { startsPerMinute: 1000, requestsPerMinute: 1000 },
    },
  })
  key = (await host.createKey()).key
})

afterAll(() => host.close())

function start(idempotencyKey: string, json: unknown = REQUEST, apiKey = key) {
  return host.call('POST', PATH, { key: apiKey, json, headers: { 'Idempotency-Key': idempotencyKey } })
}

function startWithFile(idempotencyKey: string, content: string) {
  const form = new FormData()
  form.append('files', new File([content], 'requirements.txt'))
  const headers = { 'X-API-Key': key, 'Idempotency-Key': idempotencyKey }
  return fetch(host.url + PATH, { method: 'POST', headers, body: form })
}

async function quotations(): Promise<number> {
  const [row] = await database.sql<
    { count: number }[]
  >`select count(*)::int as count from quickquote.quotations`
  return row?.count ?? 0
}

describe('Idempotency-Key on the start', () => {
  it('the same key and the same request: the first response again, and no new quote', async () => {
    const first = await start('a-1')
    const before = await quotations()
    const second = await start('a-1')

    expect(second.status).toBe(202)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await quotations()).toBe(before)
  })

  it('the same key and another request: 422', async () => {
    await start('b-1')
    for (const other of [
      { ...REQUEST, name: 'Other' },
      { ...REQUEST, metadata: { deal: 2 } },
      { ...REQUEST, external_id: 'D-1' },
    ]) {
      const { status, body } = await start('b-1', other)
      expect(status).toBe(422)
      expect(body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    }
  })

  it('a field that is null is the same as an absent one', async () => {
    const { body } = await start('n-1')
    expect(await start('n-1', { ...REQUEST, external_id: null, config_id: null })).toMatchObject({
      status: 202,
      body,
    })
  })

  it('neither the order of keys in metadata nor the case of a UUID makes another request', async () => {
    const config_id = '0197a000-0000-7000-8000-00000000000a'
    const request = { ...REQUEST, config_id, metadata: { deal: 1, place: { region: 'eu', city: 'Ulm' } } }
    const { body } = await start('o-1', request)
    const metadata = { place: { city: 'Ulm', region: 'eu' }, deal: 1 }
    const again = { ...request, metadata, config_id: config_id.toUpperCase() }
    expect(await start('o-1', again)).toMatchObject({ status: 202, body })
    for (const place of [{ city: 'Ulm' }, { city: 'eu', region: 'Ulm' }, ['eu', 'Ulm']]) {
      expect((await start('o-1', { ...again, metadata: { ...metadata, place } })).status).toBe(422)
    }
  })

  it('a form with CRLF and JSON with LF are the same request', async () => {
    const { body } = await start('l-1', { requirementsText: 'One.\nTwo.' })
    const form = new FormData()
    form.append('requirementsText', 'One.\r\nTwo.')
    const response = await fetch(host.url + PATH, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Idempotency-Key': 'l-1' },
      body: form,
    })
    expect(await response.json()).toEqual(body)
  })

  it('file contents are part of the request, and files of a repeated one are removed', async () => {
    const first = await startWithFile('c-1', 'Customers sign in.')
    expect(first.status).toBe(202)
    const same = await startWithFile('c-1', 'Customers sign in.')
    expect(await same.json()).toEqual(await first.json())
    const other = await startWithFile('c-1', 'Customers sign out.')
    expect(other.status).toBe(422)

    const [left] = await database.sql`
      select (select count(*)::int from quickquote.uploads) as uploads,
        (select count(distinct file_id)::int from quickquote.file_chunks) as files`
    expect(left).toEqual({ uploads: 0, files: 1 })
  })

  it('20 concurrent repeats start one quote; those during its acceptance get 409', async () => {
    const before = await quotations()
    const answers = await Promise.all(Array.from({ length: 20 }, () => start('d-1')))

    const accepted = answers.filter(({ status }) => status === 202)
    const inFlight = answers.filter(({ status }) => status === 409)
    expect(accepted.length + inFlight.length).toBe(20)
    expect(new Set(accepted.map(({ body }) => body['quotation_id'])).size).toBe(1)
    expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    for (const { body } of inFlight) expect(body).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    expect(await quotations()).toBe(before + 1)
  })

  it('a request that is still being accepted with the key: 409', async () => {
    // Another process that is accepting a request with the key.
    await database.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`"quickquote" idempotency ${ACME} e-1`}, 0))`
      const { status, body } = await start('e-1')
      expect(status).toBe(409)
      expect(body).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    })
    expect((await start('e-1')).status).toBe(202)
  })

  it('a refused request leaves the key free', async () => {
    expect((await start('f-1', {})).status).toBe(400)
    expect((await start('f-1')).status).toBe(202)
  })

  it('is separate for each organization', async () => {
    const globex = await host.createKey('globex-admin')
    const own = await start('g-1')
    const theirs = await start('g-1', { ...REQUEST, name: 'Theirs' }, globex.key)
    expect(theirs.status).toBe(202)
    expect(theirs.body['quotation_id']).not.toBe(own.body['quotation_id'])
  })

  it('is shared by all keys of the organization', async () => {
    const another = await host.createKey('acme-member')
    const first = await start('i-1')
    const repeated = await start('i-1', REQUEST, another.key)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(repeated.body).toEqual(first.body)
  })

  it('is remembered for 24 hours', async () => {
    const first = await start('h-1')
    now += DAY_MS - 1000
    expect((await start('h-1')).body).toEqual(first.body)
    now += 2000
    const later = await start('h-1', { ...REQUEST, name: 'Other' })
    expect(later.status).toBe(202)
    expect(later.body).not.toEqual(first.body)
  })

  it.each([
    ['a space', 'a b'],
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
  ])('of %s is a 400 that names the header', async (_, idempotencyKey) => {
    const { status, body } = await start(idempotencyKey)
    expect(status).toBe(400)
    expect(body).toMatchObject({ errors: [{ pointer: 'Idempotency-Key' }] })
  })
})
