import { createHmac } from 'node:crypto'
import { adminOf } from '@quickquote/dev-servers/host'
import { verify } from '@quickquote/webhook-signature'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import {
  certificate,
  type Host,
  type HostOptions,
  NO_WAITING,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './support/host.ts'

let host: Host

/** Runs a worker on a host until nothing is left to do now. */
async function deliver(options: HostOptions, url: string): Promise<{ id: string; secret: string }> {
  host = await openHost(options)
  const endpoint = await host.createEndpoint(url)
  await host.createWorker({ ca: certificate.cert }).start()
  await host.finishStep()
  return endpoint
}

function attemptsToBe(...expected: object[]): Promise<void> {
  return expect.poll(() => host.attempts()).toMatchObject(expected)
}

describe('a delivery', () => {
  it('carries the five headers of the specification, and a signature that node:crypto alone verifies', async () => {
    const partner = await openReceiver()
    const { secret } = await deliver({ productName: 'Acme' }, `${partner.url}/hooks?tenant=7`)

    const { headers, rawBody, path } = await partner.next()

    const event = JSON.parse(rawBody.toString())
    expect(path).toBe('/hooks?tenant=7')
    const signed = `${headers['x-acme-timestamp']}.${rawBody.toString()}`
    const digest = createHmac('sha256', secret).update(signed).digest('hex')
    expect(headers).toEqual({
      host: new URL(partner.url).host,
      connection: 'keep-alive',
      'content-length': String(rawBody.length),
      'content-type': 'application/json',
      'user-agent': `Acme-Webhooks/${packageJson.version}`,
      'x-acme-event-id': event.id,
      'x-acme-event-type': STEP_EVENT,
      'x-acme-event-sequence': '1',
      'x-acme-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-acme-signature': `v1=${digest}`,
    })
    expect(Math.abs(Number(headers['x-acme-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    await attemptsToBe({ attempt: 1, status: 'succeeded', http_status: 204, error: null })
    expect(await host.pending()).toEqual([])
  })

  it('is logged in one line, without URL, body or secret', async () => {
    const partner = await openReceiver()
    const { id, secret } = await deliver({}, `${partner.url}/hooks?token=topsecret`)
    await attemptsToBe({ status: 'succeeded' })

    const lines = host.logs.filter(({ message }) => message === 'delivery.attempted')
    expect(lines).toMatchObject([
      {
        level: 'info',
        fields: {
          endpoint_id: id,
          event_type: STEP_EVENT,
          event_id: expect.stringMatching(/^evt_/),
          quotation_id: expect.any(String),
          attempt: 1,
          status: 'succeeded',
          http_status: 204,
          duration_ms: expect.any(Number),
          next_attempt_at: null,
        },
      },
    ])
    const everything = JSON.stringify(host.logs)
    expect(everything).not.toContain('topsecret')
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain('"data"')
  })

  it('is signed again for each attempt, with the time of that attempt', async () => {
    const partner = await openReceiver(() => ({ status: partner.requests.length === 1 ? 500 : 204 }))
    host = await openHost({ delivery: { ...NO_WAITING, backoffMs: 1100 } })
    const { secret } = await host.createEndpoint(partner.url)
    await host.createWorker({ ca: certificate.cert }).start()
    await host.finishStep()

    const requests = await partner.waitFor(2)

    const timestamps = requests.map(({ headers }) => Number(headers['x-service-timestamp']))
    expect(timestamps[1]).toBeGreaterThan(timestamps[0] ?? Number.NaN)
    for (const { headers, rawBody } of requests) {
      const signed = `${headers['x-service-timestamp']}.${rawBody.toString()}`
      const digest = createHmac('sha256', secret).update(signed).digest('hex')
      expect(headers['x-service-signature']).toBe(`v1=${digest}`)
    }
    expect(requests[1]?.rawBody).toEqual(requests[0]?.rawBody)
  })

  it('has the same bytes for every endpoint', async () => {
    const partner = await openReceiver()
    host = await openHost()
    await host.createEndpoint(`${partner.url}/crm`)
    await host.createEndpoint(`${partner.url}/portal`)
    await host.createWorker({ ca: certificate.cert }).start()
    await host.finishStep()

    const [first, second] = await partner.waitFor(2)

    expect(new Set([first?.path, second?.path])).toEqual(new Set(['/crm', '/portal']))
    expect(second?.rawBody).toEqual(first?.rawBody)
    expect(second?.headers['x-service-signature']).not.toBe(first?.headers['x-service-signature'])
  })

  it('is also signed with each previous secret until its overlap ends, newest first', async () => {
    const partner = await openReceiver()
    const { id, secret: first } = await deliver({}, partner.url)
    await partner.next()
    const rotate = async (overlap_seconds: number) => {
      const member = adminOf(ORGANIZATION)
      return (
        await host.integrations.webhookEndpoints.rotateSecret(member, id, { overlap_seconds })
      ).secret.reveal()
    }
    const [second, third] = [await rotate(3600), await rotate(7200)]

    async function expectSigned(current: string, ...previous: string[]) {
      await host.finishStep()
      const { headers, rawBody } = await partner.next()
      const signed = (key: string) =>
        `v1=${createHmac('sha256', key).update(`${headers['x-service-timestamp']}.${rawBody}`).digest('hex')}`
      expect(headers['x-service-signature']).toBe(signed(current))
      expect(headers['x-service-signature-previous']?.toString().split(', ') ?? []).toEqual(
        previous.map(signed),
      )
      // Our library takes each of them.
      for (const secrets of [current, ...previous]) await verify({ headers, body: rawBody, secrets })
    }
    await expectSigned(third, second, first)
    await host.sql`update quickquote.webhook_endpoints
      set previous_secrets = jsonb_set(previous_secrets, '{1,expires_at}', to_jsonb(now() - interval '1 second'))`
    await expectSigned(third, second)
    await host.sql`update quickquote.webhook_endpoints
      set previous_secrets = jsonb_set(previous_secrets, '{0,expires_at}', to_jsonb(now() - interval '1 second'))`
    await expectSigned(third)
  })
})

describe('a failed attempt', () => {
  it('is repeated up to 8 attempts', async () => {
    const partner = await openReceiver(() => ({ status: 500 }))
    await deliver({ delivery: NO_WAITING }, partner.url)

    const failed = {
      status: 'failed',
      http_status: 500,
      error: 'The receiver answered 500.',
      next_attempt_at: expect.any(Date),
    }
    await attemptsToBe(...Array.from({ length: 7 }, (_, index) => ({ ...failed, attempt: index + 1 })), {
      attempt: 8,
      status: 'exhausted',
      http_status: 500,
      next_attempt_at: null,
    })
    expect(partner.requests).toHaveLength(8)
    expect(await host.pending()).toEqual([])
  })

  it('waits for the back-off', async () => {
    const partner = await openReceiver(() => ({ status: 503 }))
    const before = Date.now()
    await deliver({ delivery: { jitter: 0 } }, partner.url)
    await attemptsToBe({ status: 'failed' })

    const [pending] = await host.pending()
    const waitMs = (pending?.due_at.getTime() ?? 0) - before
    expect(waitMs).toBeGreaterThanOrEqual(10_000)
    expect(pending).toMatchObject({ attempt: 1, leased_by: null })
    expect(partner.requests).toHaveLength(1)
  })

  it('waits as long as Retry-After requests, if that is longer', async () => {
    const partner = await openReceiver(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    const before = Date.now()
    await deliver({ delivery: NO_WAITING }, partner.url)
    await attemptsToBe({ status: 'failed', http_status: 429 })

    const [pending] = await host.pending()
    expect((pending?.due_at.getTime() ?? 0) - before).toBeGreaterThanOrEqual(3_600_000)
  })

  it('is not repeated after a 410', async () => {
    const partner = await openReceiver(() => ({ status: 410 }))
    await deliver({ delivery: NO_WAITING }, partner.url)

    await attemptsToBe({
      attempt: 1,
      status: 'rejected',
      http_status: 410,
      error: 'The receiver answered 410 Gone: it does not want this event.',
    })
    expect(await host.pending()).toEqual([])
  })

  it('because of a redirect is not sent elsewhere', async () => {
    const elsewhere = await openReceiver()
    const partner = await openReceiver(() => ({ status: 302, headers: { location: elsewhere.url } }))
    await deliver({ delivery: { ...NO_WAITING, maxAttempts: 2 } }, partner.url)

    const error = 'The receiver answered 302: redirects are not followed.'
    await attemptsToBe({ status: 'failed', error }, { status: 'exhausted', http_status: 302, error })
    expect(elsewhere.requests).toHaveLength(0)
  })

  it('because of a timeout is recorded as one', async () => {
    const partner = await openReceiver(() => ({ hang: true }))
    await deliver({ delivery: { ...NO_WAITING, timeoutMs: 200, maxAttempts: 2 } }, partner.url)

    const error = 'timed out after 200 ms'
    await attemptsToBe({ status: 'failed', http_status: null, error }, { status: 'exhausted', error })
  })

  it('because of the certificate is recorded as such', async () => {
    const partner = await openReceiver()
    host = await openHost({ delivery: { ...NO_WAITING, maxAttempts: 1 } })
    await host.createEndpoint(partner.url)
    await host.createWorker().start()
    await host.finishStep()

    await attemptsToBe({ status: 'exhausted', error: 'certificate: self-signed certificate' })
    expect(partner.requests).toHaveLength(0)
  })

  it.each(['secret_key_id', 'headers_key_id'])(
    'is not recorded if an encryption key (%s) is missing: it does not count, and a worker with the key sends',
    async (column) => {
      const partner = await openReceiver()
      host = await openHost({ delivery: { ...NO_WAITING, maxAttempts: 2 } })
      const { id } = await host.createEndpoint(partner.url)
      await host.integrations.webhookEndpoints.update(adminOf(ORGANIZATION), id, {
        headers: { Authorization: 'Bearer of-the-gateway' },
      })
      await host.sql`update quickquote.webhook_endpoints set ${host.sql({ [column]: 'lost' })}`
      const worker = host.createWorker({ ca: certificate.cert })
      await worker.start()
      expect(host.logs).toContainEqual(
        expect.objectContaining({ level: 'error', fields: { secrets_by_key: { lost: 1 } } }),
      )
      expect(worker.health()).toMatchObject({
        ready: false,
        reasons: ['the encryption key "lost" is missing: 1 endpoint secrets need it'],
      })

      await host.finishStep()
      const postponed = async () =>
        (await host.pending()).map(({ due_at }) => due_at.getTime() > Date.now() + 30_000)
      await expect.poll(postponed).toEqual([true])
      expect(await host.pending()).toMatchObject([{ attempt: 0, leased_by: null }])
      expect(await host.attempts()).toEqual([])

      await host.sql`update quickquote.webhook_endpoints set ${host.sql({ [column]: 'test' })}`
      await host.sql`update quickquote.deliveries set due_at = now()`
      await host.finishStep()
      const requests = await partner.waitFor(2)
      expect(requests.map(({ headers }) => headers.authorization)).toEqual(
        Array(2).fill('Bearer of-the-gateway'),
      )
      await attemptsToBe({ attempt: 1, status: 'succeeded' }, { attempt: 1, status: 'succeeded' })
    },
  )

  it('because the secret cannot be decrypted is repeated', async () => {
    const partner = await openReceiver()
    host = await openHost({ delivery: { ...NO_WAITING, maxAttempts: 2 } })
    await host.createEndpoint(partner.url)
    await host.sql`update quickquote.webhook_endpoints set secret_ciphertext = '\\x00112233445566778899aabbccddeeff0011223344556677889900'`
    await host.createWorker({ ca: certificate.cert }).start()
    await host.finishStep()

    const error = 'the webhook could not be signed'
    await attemptsToBe({ status: 'failed', error }, { status: 'exhausted', error })
    expect(partner.requests).toHaveLength(0)
  })
})

describe('a forbidden address', () => {
  it('is rejected without connecting', async () => {
    const partner = await openReceiver()
    host = await openHost()
    const { id } = await host.createEndpoint(partner.url)
    const strict = await openHost({ allowAddresses: [], databaseUrl: host.databaseUrl })
    await strict.createWorker({ ca: certificate.cert }).start()
    await host.finishStep()

    await attemptsToBe({
      endpoint_id: id,
      status: 'rejected',
      http_status: null,
      error: 'address 127.0.0.1 is loopback (127.0.0.0/8)',
      next_attempt_at: null,
    })
    await strict.close()
    expect(partner.requests).toHaveLength(0)
  })

  it('is never called over plain HTTP', async () => {
    const partner = await openReceiver()
    host = await openHost()
    await host.createEndpoint(partner.url)
    await host.sql`update quickquote.webhook_endpoints set url = replace(url, 'https:', 'http:')`
    await host.createWorker().start()
    await host.finishStep()

    await attemptsToBe({ status: 'rejected', error: 'webhooks are sent over HTTPS only' })
  })
})

describe('a disabled endpoint', () => {
  it('receives nothing more, and its pending deliveries are parked', async () => {
    const partner = await openReceiver()
    const calm = await openReceiver()
    host = await openHost()
    const disabled = await host.createEndpoint(partner.url)
    await host.createEndpoint(calm.url)
    await host.finishStep()
    await host.sql`update quickquote.webhook_endpoints set is_enabled = false where id = ${disabled.id}`

    await host.createWorker({ ca: certificate.cert }).start()

    await calm.next()
    await expect.poll(() => host.pending()).toMatchObject([{ attempt: 0, parked_at: expect.any(Date) }])
    expect(partner.requests).toHaveLength(0)
  })
})
