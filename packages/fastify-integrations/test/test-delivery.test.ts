import { createHmac, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { DeliveryPolicy } from '@quickquote/core'
import { WebhookEvent } from '@quickquote/core/internal'
import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { describe, expect, it, type TestContext, vi } from 'vitest'
import { validate } from '../../core/src/lib/validator.ts'
import { ACME, startHost } from './support/host.ts'
import { createEndpoint, endOverlap, startWorker, useDeliveries, WEBHOOKS } from './support/webhooks.ts'

const context = useDeliveries({ integrations: { delivery: { timeoutMs: 5000 } } })
const { newEndpoint, requestsTo } = context

const test = (id: string, json: unknown = { event_type: 'quotation.completed' }) =>
  context.host.call('POST', `${WEBHOOKS}/${id}/test`, { member: 'acme-admin', json })
const attemptsOf = (id: string) =>
  context.sql`select * from quickquote.delivery_attempts where endpoint_id = ${id}`

/** Verifies as the specification describes, and no further. */
function isSigned(
  { headers, rawBody }: Pick<ReceivedWebhook, 'headers' | 'rawBody'>,
  secret: string,
): boolean {
  const signed = `${headers['x-service-timestamp']}.${rawBody}`
  const header = String(headers['x-service-signature'])
  return header.slice('v1='.length) === createHmac('sha256', secret).update(signed).digest('hex')
}

describe('POST /:id/test', () => {
  it('sends a signed sample to the receiver, and returns the result', async () => {
    context.respond(() => ({ status: 200 }))
    const { id, secret, path } = await newEndpoint()
    const { status, body } = await test(id, { event_type: 'quotation.failed' })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, http_status: 200, error: null, attempt_id: expect.any(String) })

    const requests = requestsTo(path)
    expect(requests).toHaveLength(1)
    const [request] = requests
    if (request === undefined) return
    expect(isSigned(request, secret)).toBe(true)
    const payload = JSON.parse(String(request.rawBody))
    expect(() => validate(WebhookEvent, payload)).not.toThrow()
    expect(payload).toMatchObject({
      type: 'quotation.failed',
      organization_id: ACME,
      data: { status: 'failed' },
    })
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event-id': payload.id,
      'x-service-event-type': 'quotation.failed',
    })
  })

  it('records the attempt, marked as a test, in the delivery log', async () => {
    context.respond(() => ({ status: 204 }))
    const { id } = await newEndpoint()
    const { body } = await test(id)
    const list = await context.host.call('GET', `${WEBHOOKS}/deliveries?endpoint_id=${id}`, {
      member: 'acme-admin',
    })
    expect(list.body).toMatchObject([
      { id: body['attempt_id'], is_test: true, attempt: 1, status: 'succeeded', http_status: 204 },
    ])
  })

  it('uses a new event id each time', async () => {
    const { id, path } = await newEndpoint()
    await test(id)
    await test(id)
    expect(new Set(requestsTo(path).map(({ headers }) => headers['x-service-event-id'])).size).toBe(2)
  })

  it.each([
    ['500', 500, 'The receiver answered 500.'],
    ['a redirect', 302, 'The receiver answered 302: redirects are not followed.'],
    ['410', 410, 'The receiver answered 410 Gone: it does not want this event.'],
  ])('reports %s, and does not retry', async (_, http_status, error) => {
    context.respond(() => ({ status: http_status, headers: { location: 'https://example.com/' } }))
    const { id } = await newEndpoint()
    const { status, body } = await test(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: false, http_status, error })
    expect(await attemptsOf(id)).toMatchObject([{ next_attempt_at: null }])
    expect(await context.sql`select from quickquote.deliveries where endpoint_id = ${id}`).toHaveLength(0)
  })

  it('reports a receiver that hangs or disconnects', async () => {
    const { id } = await newEndpoint()
    context.respond(() => ({ hang: true }))
    expect((await test(id)).body).toMatchObject({
      success: false,
      http_status: null,
      error: expect.stringContaining('timed out'),
    })
    context.respond(() => ({ reset: true }))
    expect((await test(id)).body).toMatchObject({
      success: false,
      http_status: null,
      error: expect.any(String),
    })
    context.respond(() => ({ status: 204 }))
  })

  it('goes through the address guard', async () => {
    const { id } = await createEndpoint(context.host, { url: 'https://crm.example.com' })
    await context.sql`update quickquote.webhook_endpoints set url = 'https://10.0.0.1/hook' where id = ${id}`
    const { body } = await test(id)
    expect(body).toMatchObject({
      success: false,
      http_status: null,
      error: expect.stringContaining('10.0.0.1'),
    })
    expect(await attemptsOf(id)).toMatchObject([{ status: 'rejected', is_test: true }])
  })

  it('works on a disabled endpoint, which stays disabled', async () => {
    const { id, path } = await newEndpoint({ is_enabled: false })
    expect((await test(id)).body).toMatchObject({ success: true })
    expect(requestsTo(path)).toHaveLength(1)
    expect(
      (await context.host.call('GET', `${WEBHOOKS}/${id}`, { member: 'acme-admin' })).body,
    ).toMatchObject({
      is_enabled: false,
    })
  })

  it('goes only to the tested endpoint, whatever the others subscribe to', async () => {
    const other = await newEndpoint({ trigger_mode: 'always' })
    const { id, path } = await newEndpoint()
    await test(id)
    expect([requestsTo(path).length, requestsTo(other.path).length]).toEqual([1, 0])
  })

  it.each<[string, unknown]>([
    ['an event that the endpoint does not subscribe to', { event_type: 'quotation.proposal.completed' }],
    ['an unknown event', { event_type: 'quotation.begun' }],
    ['no event', {}],
    ['null', { event_type: null }],
    ['a list', { event_type: ['quotation.completed'] }],
  ])('refuses %s with 400, and sends nothing', async (_, json) => {
    const { id, path } = await newEndpoint()
    const { status, body } = await test(id, json)
    expect(status).toBe(400)
    expect(body['code']).toBe('VALIDATION_FAILED')
    expect((body['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer: '/event_type' })
    expect([requestsTo(path), await attemptsOf(id)]).toEqual([[], []])
  })

  it('requires a body', async () => {
    const { id } = await newEndpoint()
    const { status } = await context.host.call('POST', `${WEBHOOKS}/${id}/test`, { member: 'acme-admin' })
    expect(status).toBe(400)
  })

  it('keeps concurrent tests apart', async () => {
    context.respond(({ path }) => ({ status: path.endsWith('slow') ? 500 : 204, delayMs: 20 }))
    const [a, b] = [await newEndpoint(), await newEndpoint({ url: `${context.receiver.url}/slow` })]
    const answers = await Promise.all([test(a.id), test(b.id), test(a.id), test(b.id)])
    expect(answers.map(({ body }) => body['http_status'])).toEqual([204, 500, 204, 500])
    expect(new Set(answers.map(({ body }) => body['attempt_id'])).size).toBe(4)
  })
})

describe('a rotated secret', () => {
  const rotate = async (id: string, json?: unknown) => {
    const { status, body } = await context.host.call('POST', `${WEBHOOKS}/${id}/rotate-secret`, {
      member: 'acme-admin',
      json,
    })
    expect(status).toBe(200)
    return String(body['secret'])
  }
  const deliver = async ({ id, path }: { id: string; path: string }) => {
    await test(id)
    const last = requestsTo(path).at(-1)
    if (last === undefined) throw new Error('nothing came')
    return last
  }

  it('signs from then on, and the old one no longer does', async () => {
    context.respond(() => ({ status: 204 }))
    const endpoint = await newEndpoint()
    expect(isSigned(await deliver(endpoint), endpoint.secret)).toBe(true)
    const secret = await rotate(endpoint.id)
    const request = await deliver(endpoint)
    expect([isSigned(request, secret), isSigned(request, endpoint.secret)]).toEqual([true, false])
    expect(request.headers).not.toHaveProperty('x-service-signature-previous')
  })

  it('with an overlap: only the new one signs in the signature header, the old one in a second header', async () => {
    const endpoint = await newEndpoint()
    const secret = await rotate(endpoint.id, { overlap_seconds: 3600 })
    const request = await deliver(endpoint)
    expect(request.headers['x-service-signature']).toMatch(/^v1=[0-9a-f]{64}$/)
    expect(isSigned(request, secret)).toBe(true)
    const previous = {
      ...request.headers,
      'x-service-signature': request.headers['x-service-signature-previous'],
    }
    expect(isSigned({ ...request, headers: previous }, endpoint.secret)).toBe(true)
  })

  it('after the overlap: signs alone, with no change to the endpoint', async () => {
    const endpoint = await newEndpoint()
    const secret = await rotate(endpoint.id, { overlap_seconds: 3600 })
    expect((await deliver(endpoint)).headers).toHaveProperty('x-service-signature-previous')
    await endOverlap(context.sql, endpoint.id, 0)
    const request = await deliver(endpoint)
    expect(isSigned(request, secret)).toBe(true)
    expect(request.headers).not.toHaveProperty('x-service-signature-previous')
  })

  /** The secrets that a delivery is signed with, in the order of its headers. */
  const signersOf = async (endpoint: { id: string; path: string }, secrets: readonly string[]) => {
    const { headers, rawBody } = await deliver(endpoint)
    const sent = [headers['x-service-signature'], headers['x-service-signature-previous'] ?? []].flat()
    return sent
      .join(', ')
      .split(', ')
      .map((signature) =>
        secrets.findIndex((secret) =>
          isSigned({ headers: { ...headers, 'x-service-signature': signature }, rawBody }, secret),
        ),
      )
  }

  it('again during the overlap: each old one signs until its own end, newest first, and the fourth ends the oldest', async () => {
    const endpoint = await newEndpoint()
    const secrets = [endpoint.secret]
    const signers = () => signersOf(endpoint, secrets)
    for (let rotation = 1; rotation <= 4; rotation += 1) {
      secrets.push(await rotate(endpoint.id, { overlap_seconds: 3600 * (5 - rotation) }))
      expect(await signers()).toEqual([4, 3, 2, 1, 0].filter((each) => each <= rotation).slice(0, 4))
    }
    await endOverlap(context.sql, endpoint.id, 1)
    expect(await signers()).toEqual([4, 3, 1])
    await endOverlap(context.sql, endpoint.id, 0)
    expect(await signers()).toEqual([4, 1])
    await endOverlap(context.sql, endpoint.id, 2)
    expect(await signers()).toEqual([4])
  })

  it('again without an overlap: the old one no longer signs, an earlier one does until its end', async () => {
    const endpoint = await newEndpoint()
    const secrets = [endpoint.secret, await rotate(endpoint.id, { overlap_seconds: 3600 })]
    secrets.push(await rotate(endpoint.id))
    expect(await signersOf(endpoint, secrets)).toEqual([2, 0])
  })
})

/** Each has its own database, and waits for seconds. */
describe.concurrent('a test that is waited for', () => {
  async function open(
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    path: string,
    delivery: Partial<DeliveryPolicy> = {},
  ) {
    const database = await migratedDatabase()
    const sql = postgres(database.url, { max: 1 })
    const host = await startHost({
      databaseUrl: database.url,
      integrations: { delivery },
    })
    onTestFinished(async () => {
      await host.close()
      await sql.end()
      await database.drop()
    })
    const { id } = await createEndpoint(host, { url: context.receiver.url + path })
    return { host, sql, id, storage: host.integrations.storage }
  }

  it.for([
    ['before a worker begins: nothing is sent', '/never-sent', false],
    ['while it is sent: the wait for the outcome ends', '/sent', true],
  ] as const)('the client disconnects %s', async ([, path, isSent], { expect, onTestFinished }) => {
    context.respond(() => ({ hang: true }))
    const { host, sql, id, storage } = await open({ onTestFinished }, path, { timeoutMs: 30_000 })
    if (isSent) {
      const stopWorker = await startWorker(host, context.receiver)
      onTestFinished(stopWorker)
    } else await storage.workers.heartbeat(randomUUID())
    const polls = vi.spyOn(storage.testDeliveries, 'find')
    // Not fetch: after an abort it opens another connection and sends nothing on it, for which the host waits when it closes.
    const request = httpRequest(`${host.url}${WEBHOOKS}/${id}/test`, {
      method: 'POST',
      headers: { 'x-member': 'acme-admin', 'content-type': 'application/json' },
    })
    request.on('error', () => undefined)
    const hungUp = new Promise((resolve) => request.once('close', resolve))
    request.end('{"event_type":"quotation.completed"}')
    const pending = () => sql`select leased_by from quickquote.deliveries`
    await expect.poll(pending).toEqual([{ leased_by: isSent ? expect.any(String) : null }])

    request.destroy()
    await hungUp

    if (!isSent) await expect.poll(pending).toEqual([])
    const polled = polls.mock.calls.length
    await new Promise((resolve) => setTimeout(resolve, 2500))
    // One may have been in flight when the client disconnected.
    expect(polls.mock.calls.length - polled).toBeLessThanOrEqual(1)
    expect(polls.mock.calls.length).toBeLessThan(10)
    expect(requestsTo(path)).toHaveLength(isSent ? 1 : 0)
  })

  it.for([
    ['none is alive', 'No delivery worker is running, so nothing was sent.', false],
    [
      'all are busy',
      'The test did not start within 7 s, so nothing was sent. Either no delivery worker was free, or the endpoint has reached its limit of concurrent deliveries.',
      true,
    ],
  ] as const)(
    'without a free worker is answered with 503 and the reason, and leaves nothing to send later: %s',
    async ([, detail, isBusy], { expect, onTestFinished }) => {
      const { host, sql, id, storage } = await open({ onTestFinished }, '/nobody')
      // A live worker that takes nothing.
      if (isBusy) await storage.workers.heartbeat(randomUUID())
      const { status, body } = await host.call('POST', `${WEBHOOKS}/${id}/test`, {
        member: 'acme-admin',
        json: { event_type: 'quotation.completed' },
      })
      expect(status).toBe(503)
      expect(body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail })
      expect(await sql`select from quickquote.deliveries`).toHaveLength(0)
      expect(await sql`select from quickquote.delivery_attempts`).toHaveLength(0)
    },
  )
})
