import { inspect } from 'node:util'
import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { describe, expect, it } from 'vitest'
import { ACME, NOWHERE } from './support/host.ts'
import { createEndpoint, failQuote, useDeliveries } from './support/webhooks.ts'

const context = useDeliveries({
  integrations: {
    productName: 'Acme',
    limits: { webhookEndpoints: 1000, testsPerOrganizationPerMinute: 1000 },
  },
})
let values = 0

/** A value that occurs nowhere else. */
const secretValue = () => {
  values += 1
  return `header-value-nobody-may-see-${values}-${'x'.repeat(20)}`
}

const { call } = context

const endpointWith = (headers?: Record<string, string>) => context.newEndpoint(headers && { headers })

/** The request of a test of the endpoint. */
async function received({ id, path }: { id: string; path: string }): Promise<ReceivedWebhook['headers']> {
  await call('POST', `/${id}/test`, { event_type: 'quotation.failed' })
  const { headers } = await context.receiver.next((request) => request.path === path)
  return headers
}

const patch = (id: string, json: unknown) => call('PATCH', `/${id}`, json)

/** The refusal of an update of a new endpoint with these headers, which it keeps. */
async function refusalOf(change: object, has: Record<string, string> = {}) {
  const endpoint = await endpointWith(has)
  const { status, body } = await patch(endpoint.id, change)
  expect(status).toBe(400)
  expect((await call('GET', `/${endpoint.id}`)).body).toMatchObject({ header_names: Object.keys(has) })
  return body['errors']
}

describe('headers of an endpoint', () => {
  it('are sent with deliveries, tests and resends; responses show only their names', async () => {
    context.respond(() => ({ status: 204 }))
    const headers = { 'x-zone': secretValue(), Authorization: `Bearer ${secretValue()}` }
    const endpoint = await endpointWith(headers)
    expect(endpoint).toMatchObject({ header_names: ['Authorization', 'x-zone'] })
    expect(endpoint).not.toHaveProperty('headers')
    const wanted = { authorization: headers.Authorization, 'x-zone': headers['x-zone'] }
    expect(await received(endpoint)).toMatchObject({ ...wanted, 'x-acme-event-type': 'quotation.failed' })

    await failQuote(context.host, 'delivered')
    const sent = await context.receiver.next(({ path }) => path === endpoint.path)
    expect(sent.headers).toMatchObject(wanted)
    const deliveries = () => context.sql`
      select delivery_id from quickquote.delivery_attempts where endpoint_id = ${endpoint.id} and not is_test`
    await expect.poll(deliveries, { timeout: 60_000 }).toHaveLength(1)
    const [row] = await deliveries()
    await call('POST', `/deliveries/${row?.['delivery_id']}/resend`)
    expect((await context.receiver.next(({ path }) => path === endpoint.path)).headers).toMatchObject(wanted)

    const { body } = await call('GET', `/deliveries/${row?.['delivery_id']}`)
    expect(body['attempts']).toMatchObject([{ request_headers: { Authorization: '…', 'x-zone': '…' } }])
  })

  it('are merged by an update: a value replaces, null removes, the others stay, ignoring the case of names', async () => {
    context.respond(() => ({ status: 204 }))
    const [first, kept, second] = [secretValue(), secretValue(), secretValue()]
    const endpoint = await endpointWith({ Authorization: first, 'X-Kept': kept, 'X-Gone': 'x' })
    const { status, body } = await patch(endpoint.id, {
      headers: { authorization: second, 'x-gone': null, 'X-Never-There': null, 'X-New': 'a b  c' },
    })
    expect([status, body['header_names']]).toEqual([200, ['authorization', 'X-Kept', 'X-New']])
    expect(await received(endpoint)).toMatchObject({
      authorization: second,
      'x-kept': kept,
      'x-new': 'a b  c',
    })
    expect(await received(endpoint)).not.toHaveProperty('x-gone')
  })

  it('are kept by {} and removed by null', async () => {
    context.respond(() => ({ status: 204 }))
    const value = secretValue()
    const endpoint = await endpointWith({ 'X-Zone': value })
    expect((await patch(endpoint.id, { headers: {} })).body).toMatchObject({ header_names: ['X-Zone'] })
    expect(await received(endpoint)).toMatchObject({ 'x-zone': value })
    expect((await patch(endpoint.id, { headers: null })).body).toMatchObject({ header_names: [] })
    expect(await received(endpoint)).not.toHaveProperty('x-zone')
    expect((await createEndpoint(context.host, { headers: null }))['header_names']).toEqual([])
  })

  it('are kept if the path of the URL changes; another origin requires the complete new set', async () => {
    const endpoint = await endpointWith({ 'X-Zone': secretValue() })
    const moved = { url: `${endpoint.url}/further?x=1` }
    expect((await patch(endpoint.id, moved)).body).toMatchObject({ header_names: ['X-Zone'] })

    const elsewhere = { url: 'https://elsewhere.example.com/hook' }
    const refused = await patch(endpoint.id, elsewhere)
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ pointer: '/headers' }]])
    const withNull = await patch(endpoint.id, { ...elsewhere, headers: { 'X-Zone': null } })
    expect([withNull.status, withNull.body['errors']]).toMatchObject([400, [{ pointer: '/headers/X-Zone' }]])
    expect((await call('GET', `/${endpoint.id}`)).body).toMatchObject({ ...moved, header_names: ['X-Zone'] })

    const replaced = await patch(endpoint.id, { ...elsewhere, headers: { 'X-Other': secretValue() } })
    expect(replaced.body).toMatchObject({ ...elsewhere, header_names: ['X-Other'] })
    const emptied = await patch(endpoint.id, { url: endpoint.url, headers: {} })
    expect(emptied.body).toMatchObject({ url: endpoint.url, header_names: [] })
    // An endpoint without headers need not send any.
    expect((await patch(endpoint.id, elsewhere)).body).toMatchObject({ ...elsewhere, header_names: [] })
  })

  it('are not kept for another port of the same server, which is another origin', async () => {
    const endpoint = await endpointWith({ 'X-Zone': secretValue() })
    const url = new URL(endpoint.url)
    url.port = url.port === '8443' ? '9443' : '8443'
    const refused = await patch(endpoint.id, { url: url.href })
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ pointer: '/headers' }]])
    const moved = await patch(endpoint.id, { url: url.href, headers: {} })
    expect(moved.body).toMatchObject({ url: url.href, header_names: [] })
  })

  it.each<[string, string]>(
    [
      'Host',
      'Content-Type',
      'content-length',
      'Content-Encoding',
      'Connection',
      'Keep-Alive',
      'Transfer-Encoding',
      'TE',
      'Trailer',
      'Upgrade',
      'Expect',
      'Proxy-Authorization',
      'User-Agent',
      'Accept-Encoding',
      'Date',
      'Cookie',
      'traceparent',
      'tracestate',
      'baggage',
      'X-Acme-Signature',
      'x-acme-anything',
      'webhook-id',
      'Webhook-Anything',
    ].map((name) => [name, 'is reserved']),
  )('may not be named %s', async (name, detail) => {
    expect(await refusalOf({ headers: { 'X-Fine': 'x', [name]: 'x' } })).toEqual([
      { pointer: `/headers/${name}`, detail: expect.stringContaining(detail) },
    ])
  })

  it.each<[string, string, string]>([
    ['an empty name', '', 'letters, digits'],
    ['a space', 'X Zone', 'letters, digits'],
    ['a colon', 'X-Zone:', 'letters, digits'],
    ['a line break', 'X-Zone\r\nX-Other', 'letters, digits'],
    ['another script', 'X-Zöne', 'letters, digits'],
    ['a slash', 'X/Zone', 'letters, digits'],
    ['65 characters', 'x'.repeat(65), 'at most 64'],
  ])('may not have a name with %s', async (_, name, detail) => {
    expect(await refusalOf({ headers: { [name]: 'x' } })).toEqual([
      { pointer: `/headers/${name.replaceAll('/', '~1')}`, detail: expect.stringContaining(detail) },
    ])
  })

  it.each<[string, unknown, string]>([
    ['a line feed', 'a\nb', 'visible ASCII'],
    ['a carriage return', 'a\rX-Other: b', 'visible ASCII'],
    ['a NUL', 'a\u0000b', 'visible ASCII'],
    ['a tab', 'a\tb', 'visible ASCII'],
    ['another charset', 'grün', 'visible ASCII'],
    ['a lone surrogate', '\ud800', 'visible ASCII'],
    ['a space before', ' a', 'visible ASCII'],
    ['a space after', 'a ', 'visible ASCII'],
    ['1,025 characters', 'x'.repeat(1025), 'at most 1024'],
    ['a number', 5, 'must be a string'],
    ['a list', ['x'], 'must be a string'],
  ])('may not have a value with %s; the response does not repeat it', async (_, value, detail) => {
    for (const refused of [
      await refusalOf({ headers: { 'X-Zone': value } }),
      (
        await call('POST', '', {
          name: 'x',
          url: 'https://crm.example.com',
          events: ['quotation.failed'],
          headers: { 'X-Zone': value },
        })
      ).body['errors'],
    ]) {
      expect(refused).toEqual([{ pointer: '/headers/X-Zone', detail: expect.stringContaining(detail) }])
    }
  })

  it('must be an object without empty values, and on a create without nulls', async () => {
    expect(await refusalOf({ headers: { 'X-Zone': '' } })).toMatchObject([{ pointer: '/headers/X-Zone' }])
    for (const headers of [[], 'X-Zone: x', 5, true]) {
      expect(await refusalOf({ headers })).toMatchObject([{ pointer: '/headers' }])
    }
    const { status, body } = await call('POST', '', {
      name: 'CRM',
      url: 'https://crm.example.com/hook',
      events: ['quotation.failed'],
      headers: { 'X-Zone': null },
    })
    expect([status, body['errors']]).toMatchObject([400, [{ pointer: '/headers/X-Zone' }]])
  })

  it('may not be duplicate, nor more than ten, nor more than 4 KiB, including existing ones', async () => {
    expect(await refusalOf({ headers: { 'X-Zone': 'a', 'x-zone': 'b' } })).toMatchObject([
      { pointer: '/headers/x-zone', detail: expect.stringContaining('duplicate') },
    ])
    const numbered = (from: number, to: number, value = 'x') =>
      Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [`X-${from + index}`, value]))
    const endpoint = await endpointWith(numbered(0, 8))
    expect((await patch(endpoint.id, { headers: numbered(9, 9) })).status).toBe(200)
    const eleventh = await patch(endpoint.id, { headers: { 'X-Eleventh': 'x' } })
    expect([eleventh.status, eleventh.body['errors']]).toMatchObject([400, [{ pointer: '/headers' }]])
    const inPlace = { headers: { ...numbered(0, 4), 'X-9': null, 'X-Eleventh': 'x' } }
    expect((await patch(endpoint.id, inPlace)).status).toBe(200)

    // Four names of three characters and their values: 4,096.
    const large = { ...numbered(1, 3, 'x'.repeat(1021)), 'X-4': 'x'.repeat(1021) }
    const full = await endpointWith(large)
    expect(full).toMatchObject({ header_names: Object.keys(large) })
    const more = await patch(full.id, { headers: { 'X-4': 'x'.repeat(1022) } })
    expect([more.status, more.body['errors']]).toMatchObject([400, [{ pointer: '/headers' }]])
  })

  it('cannot be changed or seen by other organizations', async () => {
    const value = secretValue()
    const theirs = await createEndpoint(context.host, { headers: { 'X-Theirs': value } }, 'globex-admin')
    const seen = await patch(theirs.id, { headers: { 'X-Theirs': null, 'X-Mine': 'x' } })
    const unknown = await patch(NOWHERE, { headers: { 'X-Theirs': null, 'X-Mine': 'x' } })
    expect([seen.status, { ...seen.body, instance: '' }]).toEqual([404, { ...unknown.body, instance: '' }])
    const { body } = await call('GET', `/${theirs.id}`, undefined, 'globex-admin')
    expect(body['header_names']).toEqual(['X-Theirs'])
  })
})

describe('the value of a header', () => {
  /** The record of a test whose receiver answers like this. */
  async function recordOf(headers: Record<string, string>, answer: string) {
    const endpoint = await endpointWith(headers)
    context.respond(() => ({ status: 200, body: answer }))
    const { body } = await call('POST', `/${endpoint.id}/test`, { event_type: 'quotation.failed' })
    const [row] = await context.sql`
      select delivery_id, response_body from quickquote.delivery_attempts where id = ${String(body['attempt_id'])}`
    const delivery = await call('GET', `/deliveries/${row?.['delivery_id']}`)
    return { stored: row?.['response_body'], delivery: delivery.body }
  }

  it('is hidden if the receiver repeats it, as are the credentials after Bearer or Basic', async () => {
    const [token, basic, plain] = [secretValue(), secretValue(), secretValue()]
    const headers = { Authorization: `Bearer ${token}`, 'X-Basic': `basic ${basic}`, 'X-Plain': plain }
    const answer = `got Bearer ${token}, then ${token} and ${basic}, ${JSON.stringify({ headers })}, ${plain}.`
    const { stored, delivery } = await recordOf(headers, answer)
    expect(stored).toBe(
      'got …, then … and …, {"headers":{"Authorization":"…","X-Basic":"…","X-Plain":"…"}}, ….',
    )
    expect(delivery['attempts']).toMatchObject([{ response_body: stored }])
  })

  it('is hidden if JSON escapes it', async () => {
    const quoted = `"${secretValue()}" \\ "${secretValue()}"`
    expect((await recordOf({ 'X-Quoted': quoted }, JSON.stringify({ quoted }))).stored).toBe('{"quoted":"…"}')
  })

  it.each([1, 2, 11, 40])('is hidden if the record ends after %i of its characters', async (length) => {
    const token = secretValue()
    const before = '.'.repeat(1024 - length)
    const { stored } = await recordOf({ 'X-Token': token }, `${before}${token} and so on`)
    expect(stored).toBe(`${before}…`)
  })

  it('does not hide the end of a response that resembles its beginning', async () => {
    expect((await recordOf({ 'X-Token': 'd3VzZXI6cGFzc3dvcmQ=' }, 'unauthorized')).stored).toBe(
      'unauthorized',
    )
  })

  it('is in no response, log line, audit entry or table, and is never printed', async () => {
    context.respond(({ headers }) => ({ status: 500, body: JSON.stringify(headers) }))
    const [old, current] = [`Bearer ${secretValue()}`, `Bearer ${secretValue()}`]
    const endpoint = await endpointWith({ Authorization: old })
    const updated = await patch(endpoint.id, { headers: { Authorization: current } })
    await received(endpoint)
    await patch(endpoint.id, { headers: { Authorization: `${current}\n` } })
    const log = await context.host.call(
      'GET',
      `/v1/organizations/${ACME}/audit-log?resource_id=${endpoint.id}`,
      {
        member: 'acme-admin',
      },
    )
    expect(log.body).toMatchObject([
      { action: 'webhook_endpoint.tested' },
      { action: 'webhook_endpoint.updated', changes: [{ field: 'headers' }] },
      { action: 'webhook_endpoint.created', changes: expect.arrayContaining([{ field: 'headers' }]) },
    ])

    const tables = await context.sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'quickquote'`
    const rows = await Promise.all(
      tables.map(({ name }) => context.sql.unsafe(`select entry::text as row from ${name} entry`)),
    )
    const everything = [
      ...rows.flat().map(({ row }) => String(row)),
      ...context.host.logs,
      inspect([updated, log], { depth: null }),
    ].join('\n')
    expect(everything).toContain(endpoint.id)
    for (const value of [old, current]) {
      const token = value.replace('Bearer ', '')
      for (const spelling of [
        token,
        Buffer.from(token).toString('hex'),
        Buffer.from(token).toString('base64'),
      ]) {
        expect(everything).not.toContain(spelling)
      }
    }
  })

  it('is removed with the endpoint', async () => {
    const { id } = await endpointWith({ 'X-Zone': secretValue() })
    await call('DELETE', `/${id}`)
    expect(
      await context.sql`select header_names, headers_ciphertext, headers_key_id
        from quickquote.webhook_endpoints where id = ${id}`,
    ).toEqual([{ header_names: [], headers_ciphertext: null, headers_key_id: null }])
  })
})

it('an update that changes no header is not in the audit log', async () => {
  const headers = { 'X-Zone': secretValue() }
  const { id } = await endpointWith(headers)
  await patch(id, { headers })
  await patch(id, { headers: {} })
  await patch(id, { headers: { 'X-Unknown': null } })
  expect(await context.sql`select action from quickquote.audit_log where resource_id = ${id}`).toEqual([
    { action: 'webhook_endpoint.created' },
  ])
})
