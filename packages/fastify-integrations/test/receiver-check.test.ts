import { createHmac, randomUUID } from 'node:crypto'
import { CHECK_VERDICTS } from '@quickquote/core/internal'
import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { verify } from '@quickquote/webhook-signature'
import { fastifyWebhooks } from '@quickquote/webhook-signature/fastify'
import Fastify from 'fastify'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ACME, openHost } from './support/host.ts'
import { startWorker, useDeliveries, WEBHOOKS } from './support/webhooks.ts'

const context = useDeliveries({
  integrations: {
    delivery: { timeoutMs: 7000, standardWebhooks: true },
    limits: { testsPerOrganizationPerMinute: 10_000 },
  },
})
const { call, newEndpoint, requestsTo } = context

type Respond = Parameters<typeof context.respond>[0]
type Answer = Awaited<ReturnType<Respond>>

const check = (id: string, json?: unknown) => call('POST', `/${id}/check`, json)
const rotate = async (id: string) =>
  String((await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 3600 })).body['secret'])

interface Line {
  readonly kind: string
  readonly http_status: number | null
  readonly error: string | null
  readonly passed: boolean
}
async function linesOf(id: string, json?: unknown) {
  const { status, body } = await check(id, json)
  expect(status).toBe(200)
  const results = body['results'] as Line[]
  return {
    verdict: body['verdict'],
    results,
    passed: results.filter(({ passed }) => passed).map(({ kind }) => kind),
  }
}

const isGenuine = (request: ReceivedWebhook, secrets: string | readonly string[]) =>
  verify({ headers: request.headers, body: request.rawBody, secrets }).then(
    () => true,
    () => false,
  )

/** Our handler for Fastify. */
async function handler(secrets: readonly string[]): Promise<Respond> {
  const handled = new Set<string>()
  const app = Fastify()
  await app.register(fastifyWebhooks, {
    path: '/',
    secrets,
    onEvent() {},
    async once(id, handle) {
      if (!handled.has(id)) await handle()
      handled.add(id)
    },
  })
  onTestFinished(() => app.close())
  return async ({ headers, rawBody }) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/', headers, payload: rawBody })
    return { status: statusCode, body }
  }
}

/** A receiver that uses only the official library of Standard Webhooks. */
const official =
  (secrets: readonly string[]): Respond =>
  ({ headers, rawBody }) => {
    const accepts = (secret: string) => {
      try {
        new Webhook(secret).verify(rawBody.toString(), headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    return { status: secrets.some(accepts) ? 204 : 401 }
  }

const EXPECTED = { genuine: '2xx', forged: '4xx', old: '4xx', repeated: '2xx', previous_secret: '2xx' }

describe('POST /:id/check', () => {
  it('sends a genuine event, a forged one, an old one, and the genuine one again; our handler passes', async () => {
    const { id, secret, path } = await newEndpoint()
    context.respond(await handler([secret]))
    const { status, body } = await check(id)
    expect(status).toBe(200)
    const line = (kind: keyof typeof EXPECTED, http_status: number, error: string | null) => {
      return { kind, expected: EXPECTED[kind], http_status, error, passed: true }
    }
    const refused = 'The receiver answered 401.'
    expect(body).toEqual({
      verdict: CHECK_VERDICTS.works,
      results: [
        line('genuine', 204, null),
        line('forged', 401, refused),
        line('old', 401, refused),
        line('repeated', 204, null),
      ],
    })
    expect(requestsTo(path)).toHaveLength(4)
    expect(new Set(requestsTo(path).map(({ headers }) => headers['x-service-event-type']))).toEqual(
      new Set(['quotation.completed']),
    )
  })

  it('sends the genuine one twice with the same bytes and id, and the others with ids of their own', async () => {
    const { id, secret, path } = await newEndpoint()
    context.respond(() => ({ status: 204 }))
    await check(id)
    const requests = requestsTo(path)
    const genuine = []
    for (const request of requests) if (await isGenuine(request, secret)) genuine.push(request)
    const [first, second] = genuine
    expect(genuine).toHaveLength(2)
    expect(second?.rawBody).toEqual(first?.rawBody)
    expect(second?.headers['x-service-event-id']).toBe(first?.headers['x-service-event-id'])
    expect(new Set(requests.map(({ headers }) => headers['x-service-event-id'])).size).toBe(3)
    expect(requests.at(-1)).toBe(second)
    const old = requests.filter(
      ({ headers }) => Number(headers['x-service-timestamp']) < Date.now() / 1000 - 590,
    )
    expect(old).toHaveLength(1)
    for (const { headers, rawBody } of old) {
      const now = new Date(Number(headers['x-service-timestamp']) * 1000)
      await verify({ headers, body: rawBody, secrets: secret, now })
      expect(Date.now() - now.getTime()).toBeLessThan(620_000)
      expect(headers['webhook-timestamp']).toBe(headers['x-service-timestamp'])
    }
  })

  it('during an overlap, also sends one that only the previous secret signs; the official library passes', async () => {
    const { id, secret, path } = await newEndpoint()
    const newer = await rotate(id)
    context.respond(official([newer, secret]))
    expect(await linesOf(id)).toMatchObject({
      verdict: CHECK_VERDICTS.works,
      passed: Object.keys(EXPECTED),
    })
    context.respond(await handler([newer, secret]))
    expect(await linesOf(id)).toMatchObject({ verdict: CHECK_VERDICTS.works, passed: Object.keys(EXPECTED) })
    const withoutNewer = []
    for (const request of requestsTo(path).slice(0, 5)) {
      if ((await isGenuine(request, secret)) && !(await isGenuine(request, newer))) withoutNewer.push(request)
    }
    expect(withoutNewer).toHaveLength(1)
    expect(withoutNewer[0]?.headers).not.toHaveProperty('x-service-signature-previous')
    expect(String(withoutNewer[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1)
  })

  it('forges every signature header that it sends, in the form of a genuine one', async () => {
    const { id, secret, path } = await newEndpoint()
    const newer = await rotate(id)
    context.respond(() => ({ status: 204 }))
    await check(id)
    const signed = ({ headers, rawBody }: ReceivedWebhook) => {
      const hex = (key: string) =>
        `v1=${createHmac('sha256', key).update(`${headers['x-service-timestamp']}.${rawBody}`).digest('hex')}`
      return [newer, secret].flatMap((key) => [
        hex(key),
        `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
          .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${rawBody}`)
          .digest('base64')}`,
      ])
    }
    const sent = ({ headers }: ReceivedWebhook) =>
      ['x-service-signature', 'x-service-signature-previous', 'webhook-signature'].flatMap((name) =>
        String(headers[name] ?? '').split(/, | /),
      )
    const requests = requestsTo(path)
    const forged = requests.filter((request) => !sent(request).some((each) => signed(request).includes(each)))
    expect(forged).toHaveLength(1)
    for (const { headers } of forged) {
      expect(headers).toMatchObject({
        'x-service-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
        'x-service-signature-previous': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
        'webhook-signature': expect.stringMatching(/^v1,\S{44} v1,\S{44}$/),
      })
      expect(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    }
  })

  it('records each as a test of its kind, with the timestamp that was sent', async () => {
    const { id, secret } = await newEndpoint()
    context.respond(await handler([secret]))
    await rotate(id)
    await check(id)
    const { body } = await call('GET', `/deliveries?endpoint_id=${id}`)
    const attempts = body as unknown as { delivery_id: string; check_kind: string; event_id: string }[]
    expect(attempts.map(({ check_kind }) => check_kind).sort()).toEqual(Object.keys(EXPECTED).sort())
    expect(attempts).toEqual(
      attempts.map((each) => ({ ...each, is_test: true, attempt: 1, next_attempt_at: null })),
    )
    const of = (kind: string) => attempts.find(({ check_kind }) => check_kind === kind)
    expect(of('repeated')?.event_id).toBe(of('genuine')?.event_id)
    const found = (await call('GET', `/deliveries?event_id=${of('genuine')?.event_id}`)).body
    expect(found).toHaveLength(2)
    const old = (await call('GET', `/deliveries/${of('old')?.delivery_id}`)).body
    const [attempt] = old['attempts'] as { created_at: string; request_headers: Record<string, string> }[]
    expect(attempt?.request_headers['X-Service-Timestamp']).toBe(
      String(Math.floor(Date.parse(attempt?.created_at ?? '') / 1000) - 600),
    )
    await call('POST', `/${id}/test`, { event_type: 'quotation.completed' })
    expect((await call('GET', `/deliveries?endpoint_id=${id}&limit=1`)).body).toMatchObject([
      { is_test: true, check_kind: null },
    ])
    const { body: audit } = await context.host.call(
      'GET',
      `${WEBHOOKS.replace('webhooks', 'audit-log')}?resource_id=${id}`,
      {
        member: 'acme-admin',
      },
    )
    expect(audit).toContainEqual(
      expect.objectContaining({
        action: 'webhook_endpoint.checked',
        changes: [{ field: 'event_type', to: 'quotation.completed' }],
      }),
    )
    expect(await context.sql`select from quickquote.deliveries where endpoint_id = ${id}`).toHaveLength(0)
  })

  it('counts for no health, warning or hour of the endpoint', async () => {
    const { id } = await newEndpoint()
    context.respond(() => ({ status: 500 }))
    await check(id)
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      paused_until: null,
      health: { failing_since: null, recent_attempts: 0 },
    })
  })

  const rejecting =
    (status: number, headers = {}): Respond =>
    () => ({ status, headers })
  /** Verifies, and then responds to some of them in its own way. */
  const verifying =
    (
      own: (
        request: ReceivedWebhook & { readonly isRepeated: boolean; readonly isRefused: boolean },
      ) => Answer | undefined,
    ) =>
    (secret: string): Respond => {
      const seen = new Set<unknown>()
      return async (request) => {
        const isRefused = !(await isGenuine(request, secret))
        const eventId = request.headers['x-service-event-id']
        const isRepeated = seen.has(eventId)
        seen.add(eventId)
        return own({ ...request, isRepeated, isRefused }) ?? { status: isRefused ? 401 : 204 }
      }
    }
  const ALL = ['genuine', 'forged', 'old', 'repeated']

  it.each<[string, keyof typeof CHECK_VERDICTS, readonly string[], (secret: string) => Respond]>([
    ['accepts everything', 'accepts_forged', ['genuine', 'repeated'], () => rejecting(204)],
    ['refuses everything', 'refuses_genuine', ['forged', 'old'], () => rejecting(401)],
    ['fails on everything', 'fails', [], () => rejecting(500)],
    ['wants no event', 'gone', ['forged', 'old'], () => rejecting(410)],
    ['redirects', 'redirects', [], () => rejecting(302, { location: 'https://example.com/' })],
    ['wants a pause', 'asks_for_pause', [], () => rejecting(429, { 'retry-after': '60' })],
    ['disconnects', 'silent', [], () => () => ({ reset: true })],
    [
      'ignores the timestamp',
      'accepts_old',
      ['genuine', 'forged', 'repeated'],
      (secret) => async (request) => {
        const now = new Date(Number(request.headers['x-service-timestamp']) * 1000)
        const { headers, rawBody: body } = request
        return verify({ headers, body, secrets: secret, now }).then(
          () => ({ status: 204 }),
          () => ({ status: 401 }),
        )
      },
    ],
    [
      'refuses a repeated event with 409',
      'refuses_repeated',
      ['genuine', 'forged', 'old'],
      verifying(({ isRepeated }) => (isRepeated ? { status: 409 } : undefined)),
    ],
    [
      'fails on a repeated event',
      'refuses_repeated',
      ['genuine', 'forged', 'old'],
      verifying(({ isRepeated }) => (isRepeated ? { status: 500 } : undefined)),
    ],
    [
      'disconnects at a repeated event',
      'incomplete',
      ['genuine', 'forged', 'old'],
      verifying(({ isRepeated }) => (isRepeated ? { reset: true } : undefined)),
    ],
    [
      'answers forged events with 500',
      'fails_on_refusal',
      ['genuine', 'repeated'],
      verifying(({ isRefused }) => (isRefused ? { status: 500 } : undefined)),
    ],
    ['is right', 'works', ALL, verifying(() => undefined)],
  ])('finds a receiver that %s: %s', async (_, verdict, passed, receiver) => {
    const { id, secret } = await newEndpoint()
    context.respond(receiver(secret))
    expect(await linesOf(id)).toMatchObject({ verdict: CHECK_VERDICTS[verdict], passed })
  })

  it('finds a receiver that has only the new secret during an overlap', async () => {
    const { id } = await newEndpoint()
    context.respond(await handler([await rotate(id)]))
    expect(await linesOf(id)).toMatchObject({ verdict: CHECK_VERDICTS.refuses_previous, passed: ALL })
  })

  it('takes no longer than a test if the receiver hangs, or answers slowly: then the genuine event is not repeated', async () => {
    const [hanging, slow] = [await newEndpoint(), await newEndpoint()]
    context.respond(({ path }) => (path === slow.path ? { status: 204, delayMs: 5200 } : { hang: true }))
    const begin = performance.now()
    const [silent, late] = await Promise.all([linesOf(hanging.id), linesOf(slow.id)])
    expect(performance.now() - begin).toBeLessThan(10_000)
    const unrepeated = {
      http_status: null,
      error: expect.stringContaining('Not sent: the genuine event was not'),
    }
    expect(silent.verdict).toBe(CHECK_VERDICTS.silent)
    expect(silent.results.map(({ error }) => error)).toEqual([
      ...Array.from({ length: 3 }, () => expect.stringContaining('timed out')),
      unrepeated.error,
    ])
    expect(late.results[3]).toMatchObject(unrepeated)
    expect(requestsTo(hanging.path)).toHaveLength(3)
    expect(requestsTo(slow.path)).toHaveLength(3)
  })

  it('is not sent once its caller has gone', async () => {
    const { id } = await newEndpoint()
    await context.stopWorker()
    // Its heartbeat is recent, so the check waits for it.
    await context.sql`insert into quickquote.workers (id, heartbeat_at) values (${randomUUID()}, now())`
    const caller = new AbortController()
    const { testDeliveries } = context.host.integrations
    const checked = testDeliveries.check(adminOf(ACME), id, {}, { signal: caller.signal })
    const waiting = () => context.sql`select from quickquote.deliveries where endpoint_id = ${id}`
    await expect.poll(waiting).toHaveLength(3)
    caller.abort(new Error('gone'))
    await expect(checked).rejects.toThrow('gone')
    await expect.poll(waiting).toHaveLength(0)
    await context.startWorker()
  })

  it('is sent one after another to an endpoint that gets one delivery at a time', async () => {
    const host = await openHost({
      databaseUrl: context.databaseUrl,
      integrations: { delivery: { perEndpoint: 1 } },
    })
    await context.stopWorker()
    const stop = await startWorker(host, context.receiver)
    const { id, secret } = await newEndpoint()
    let [open, most] = [0, 0]
    const verified = await handler([secret])
    context.respond(async (request) => {
      open += 1
      most = Math.max(most, open)
      const answer = await verified(request)
      open -= 1
      return answer
    })
    const { body } = await host.call('POST', `${WEBHOOKS}/${id}/check`, { member: 'acme-admin' })
    expect([body['verdict'], most]).toEqual([CHECK_VERDICTS.works, 1])
    await stop()
    await context.startWorker()
  })

  it('works on a disabled endpoint, which stays disabled', async () => {
    const { id, secret } = await newEndpoint({ is_enabled: false })
    context.respond(await handler([secret]))
    expect(await linesOf(id)).toMatchObject({ verdict: CHECK_VERDICTS.works })
    expect((await call('GET', `/${id}`)).body).toMatchObject({ is_enabled: false })
  })

  it('sends the wanted event, by default the first that the endpoint subscribes to', async () => {
    const { id, path } = await newEndpoint({ events: ['quotation.failed', 'quotation.completed'] })
    context.respond(() => ({ status: 204 }))
    for (const body of [undefined, {}]) expect((await check(id, body)).status).toBe(200)
    expect(new Set(requestsTo(path).map(({ headers }) => headers['x-service-event-type']))).toEqual(
      new Set(['quotation.failed']),
    )
    const other = await newEndpoint({ events: ['quotation.failed', 'quotation.completed'] })
    await check(other.id, { event_type: 'quotation.completed' })
    expect(new Set(requestsTo(other.path).map(({ headers }) => headers['x-service-event-type']))).toEqual(
      new Set(['quotation.completed']),
    )
  })

  it.each<[string, unknown]>([
    ['an event that the endpoint does not subscribe to', { event_type: 'quotation.proposal.completed' }],
    ['an unknown event', { event_type: 'quotation.begun' }],
    ['null', { event_type: null }],
    ['a number', { event_type: 5 }],
  ])('refuses %s with 400, and sends nothing', async (_, json) => {
    const { id, path } = await newEndpoint()
    const { status, body } = await check(id, json)
    expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED'])
    expect((body['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer: '/event_type' })
    expect(requestsTo(path)).toEqual([])
  })

  it('answers 404 for an endpoint of another organization, and sends nothing', async () => {
    const theirs = await newEndpoint({}, 'globex-admin')
    const { status, body } = await check(theirs.id)
    expect([status, body['code']]).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
    expect(requestsTo(theirs.path)).toEqual([])
  })

  it('goes through the address guard', async () => {
    const { id } = await newEndpoint()
    await context.sql`update quickquote.webhook_endpoints set url = 'https://10.0.0.1/hook' where id = ${id}`
    const { verdict, results } = await linesOf(id)
    expect(verdict).toBe(CHECK_VERDICTS.silent)
    expect(results[0]).toMatchObject({ http_status: null, error: expect.stringContaining('10.0.0.1') })
  })
})
