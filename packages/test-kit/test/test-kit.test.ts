import { createServer } from 'node:net'
import { STEPS, type Step } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClock, createTestKit } from '../src/index.ts'
import { openHost } from './support/host.ts'

const database = useDatabase()
const types = (webhooks: readonly { readonly type: string }[]) => webhooks.map(({ type }) => type)

describe('A quote of a partner', () => {
  it('goes to the pipeline hook, advances step by step, and its verified webhooks arrive in order', async () => {
    const { kit, started } = openHost(database.url)
    const partner = await kit.partner()
    const quote = await partner.startQuote({ requirementsText: 'A roof.', name: 'Roof' })
    await kit.deliver()
    expect(started).toEqual([
      expect.objectContaining({ id: quote.id, name: 'Roof', organization_id: partner.organizationId }),
    ])

    await quote.complete('work_breakdown')
    expect(partner.webhooks).toEqual([])
    await kit.deliver()
    expect(types(partner.webhooks)).toEqual([
      'quotation.requirement_analysis.completed',
      'quotation.functional_specification.completed',
      'quotation.work_breakdown.completed',
    ])
    await quote.complete()
    await kit.deliver()
    expect(types(partner.webhooks).slice(3)).toEqual([
      'quotation.effort_estimation.completed',
      'quotation.proposal.completed',
      'quotation.completed',
    ])
    expect(partner.webhooks[5]).toMatchObject({
      data: { quotation_id: quote.id, generation_source: 'api_key' },
    })
    expect(started).toHaveLength(1)
  })

  it('fails if its pipeline reports a failure', async () => {
    const { kit } = openHost(database.url)
    const partner = await kit.partner({ events: ['quotation.failed'] })
    const quote = await partner.startQuote()
    await quote.complete('requirement_analysis')
    await quote.fail({ step: 'functional_specification', errorCode: 'NO_SENSE' })
    await kit.deliver()
    expect(partner.webhooks).toEqual([
      expect.objectContaining({
        type: 'quotation.failed',
        data: expect.objectContaining({ step: 'functional_specification', error_code: 'NO_SENSE' }),
      }),
    ])
  })

  it('is cancelled: its partner is notified, and so is the pipeline if it had the quote', async () => {
    const { kit, cancelled } = openHost(database.url)
    const partner = await kit.partner({ events: ['quotation.failed'] })
    const queued = await partner.startQuote()
    await queued.cancel()
    await kit.deliver()
    expect(cancelled).toEqual([])
    const quote = await partner.startQuote()
    await kit.deliver()
    await quote.cancel()
    await kit.deliver()
    expect(cancelled).toEqual([expect.objectContaining({ id: quote.id })])
    expect(partner.webhooks.map(({ data }) => data)).toMatchObject([
      { quotation_id: queued.id, error_code: 'CANCELLED' },
      { quotation_id: quote.id, error_code: 'CANCELLED' },
    ])
    await expect(quote.complete()).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
  })

  it('has its document with the proposal', async () => {
    const { kit, integrations } = openHost(database.url)
    const partner = await kit.partner()
    const quote = await partner.startQuote()
    const documentId = '0197a000-0000-7000-8000-00000000000d'
    await quote.complete('proposal', { name: 'An offer', documentId })
    await quote.complete()
    expect(await integrations.quotations.proposal(partner.organizationId, quote.id)).toMatchObject({
      name: 'An offer',
      document_id: documentId,
    })
  })

  it('may have been started in the web app', async () => {
    const { kit, integrations } = openHost(database.url)
    const deaf = await kit.partner()
    const partner = await kit.partner({ organizationId: deaf.organizationId, triggerMode: 'always' })
    const { quotation_id } = await integrations.quotations.start({
      organizationId: partner.organizationId,
      source: 'ui',
      body: { requirementsText: 'A roof.' },
    })
    await partner.quote(quotation_id).complete('requirement_analysis')
    await kit.deliver()
    expect(partner.webhooks).toHaveLength(1)
    expect(deaf.webhooks).toEqual([])
  })

  it('may run to the end inside the pipeline hook', async () => {
    const finish = async (id: string) => {
      for (const step of STEPS) await host.integrations.pipeline(id).stepCompleted(step)
      await host.integrations.pipeline(id).completed()
    }
    const host = openHost(database.url, { pipeline: { start: ({ id }) => finish(id) } })
    const partner = await host.kit.partner({ events: ['quotation.completed'] })
    const quote = await partner.startQuote()
    await host.kit.deliver()
    expect(types(partner.webhooks)).toEqual(['quotation.completed'])
    await quote.complete()
    for (const call of [() => quote.complete('work_breakdown'), () => quote.fail()]) {
      await expect(call()).rejects.toThrow(/Your pipeline\.start completed quote \S+ itself/)
    }
  })
})

describe('With the app of the host', () => {
  async function openApp(prefix?: string) {
    const { integrations, clock } = openHost(database.url)
    const app = Fastify()
    await app.register(fastifyIntegrations, {
      integrations,
      resolveSession: async () => null,
      ...(prefix !== undefined && { prefix }),
    })
    const kit = createTestKit({ integrations, clock, app, ...(prefix !== undefined && { prefix }) })
    onTestFinished(async () => {
      await kit.close()
      await app.close()
    })
    return { kit, app, clock }
  }

  it.each([undefined, '/api'])(
    'quotes are started through it, and a refusal throws its response (prefix %s)',
    async (prefix) => {
      const { kit, app } = await openApp(prefix)
      const partner = await kit.partner()
      const quote = await partner.startQuote()
      const summary = await app.inject({
        url: `${prefix ?? ''}/v1/integrations/quotations/${quote.id}`,
        headers: { 'x-api-key': partner.key },
      })
      expect(summary.json()).toMatchObject({ id: quote.id, status: 'queued', source: 'api_key' })
      await expect(partner.startQuote({ name: 'Nothing' })).rejects.toThrow(
        /POST .*\/v1\/integrations\/quotations returned 400, not 202: .*VALIDATION_FAILED/,
      )
    },
  )

  it('it may listen, and its limits count', async () => {
    const { kit, app } = await openApp()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const partner = await kit.partner()
    for (let count = 0; count < 10; count += 1) await partner.startQuote()
    await expect(partner.startQuote()).rejects.toThrow(/returned 429/)
  })
})

describe('The clock', () => {
  it('makes retries due hours later immediately', async () => {
    const { kit, clock } = openHost(database.url)
    const partner = await kit.partner({ events: ['quotation.requirement_analysis.completed'] })
    await (await partner.startQuote()).complete('requirement_analysis')
    partner.answerNext({ status: 503 }, 7)

    const attempts = []
    for (let count = 0; count < 8; count += 1) {
      attempts.push(...(await kit.deliver()))
      // Nothing is due before the clock moves.
      expect(await kit.deliver()).toEqual([])
      clock.advance({ hours: 14 })
    }
    expect(attempts.map(({ status }) => status)).toEqual([...Array(7).fill('failed'), 'succeeded'])
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(partner.webhooks).toHaveLength(1)
    expect(partner.requests).toHaveLength(8)
  })

  it('stands still, advances by the sum of its moves, and refuses to go back', () => {
    const clock = createClock(new Date('2026-03-01T00:00:00Z'))
    expect(clock.now()).toEqual(new Date('2026-03-01T00:00:00Z'))
    clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 })
    const { now } = clock
    expect(now().toISOString()).toBe('2026-03-02T02:03:04.005Z')
    expect(() => clock.advance({ hours: -1 })).toThrow(RangeError)
    expect(() => clock.advance({})).toThrow(RangeError)
    expect(() => clock.advance({ weeks: 1 } as object)).toThrow(RangeError)
  })

  it('must be that of the integrations', () => {
    const { integrations } = openHost(database.url)
    expect(() => createTestKit({ integrations, clock: createClock(new Date(0)) })).toThrow(/now: clock\.now/)
  })

  it('expires keys', async () => {
    const { kit, clock, integrations } = openHost(database.url)
    const partner = await kit.partner()
    expect(await integrations.apiKeys.authenticate(partner.key)).toMatchObject({
      organizationId: partner.organizationId,
    })
    clock.advance({ days: 732 })
    await expect(integrations.apiKeys.authenticate(partner.key)).rejects.toMatchObject({
      code: 'API_KEY_EXPIRED',
    })
  })
})

describe('A mistake is reported', () => {
  const finishStep = async (partner: { startQuote(): Promise<{ complete(step: Step): Promise<void> }> }) =>
    (await partner.startQuote()).complete('requirement_analysis')

  it("when the integrations may not call the kit's receivers", () => {
    const integrations = integrationsOn(database.url, { allowAddresses: [] })
    onTestFinished(() => integrations.close())
    expect(() => createTestKit({ integrations })).toThrow(/allowAddresses: \['127\.0\.0\.1\/32'\]/)
  })

  it('when an option is misspelled or missing', () => {
    const { integrations } = openHost(database.url)
    expect(() => createTestKit({ integrations, clok: createClock() } as never)).toThrow(/clock/)
    expect(() => createTestKit({} as never)).toThrow(/integrations is missing/)
    for (const [wrong, message] of [
      [{ app: {} }, /app must be a Fastify instance/],
      [{ app: null }, /app must be a Fastify instance/],
      [{ prefix: 'api/' }, /prefix must be a path without a trailing slash/],
      [{ clock: Date }, /clock must be the result of createClock/],
    ] as const) {
      expect(() => createTestKit({ integrations, ...wrong } as never)).toThrow(message)
    }
  })

  it('when an endpoint fails without answerNext: its URL, response and next attempt', async () => {
    const { kit, integrations, clock } = openHost(database.url)
    const partner = await kit.partner()
    const dead = await closedPort()
    await integrations.webhookEndpoints.create(partner.member, {
      name: 'nobody',
      url: `https://127.0.0.1:${dead}/hooks?token=hidden`,
      events: ['quotation.requirement_analysis.completed'],
    })
    await finishStep(partner)
    const failed = await kit.deliver().catch((error: Error) => error.message)
    expect(failed).toContain('1 of 2 delivery attempts failed:')
    expect(failed).toContain(
      `- quotation.requirement_analysis.completed to https://127.0.0.1:${dead}/hooks, attempt 1: connection refused Due again at`,
    )
    expect(failed).toContain('partner.answerNext')
    expect(failed).not.toContain('hidden')
    expect(partner.webhooks).toHaveLength(1)
    clock.advance({ minutes: 1 })
    await expect(kit.deliver()).rejects.toThrow(/attempt 2/)
  })

  it('when a webhook does not verify', async () => {
    const { kit, integrations } = openHost(database.url)
    const partner = await kit.partner()
    const { secret } = await integrations.webhookEndpoints.rotateSecret(partner.member, partner.endpointId)
    await finishStep(partner)
    await expect(kit.deliver()).rejects.toThrow(
      /answered 400\. It said: The webhook did not verify\. WebhookVerificationError: No signature matches/,
    )
    expect(partner.webhooks).toEqual([])

    partner.secret = secret.reveal()
    await finishStep(partner)
    await kit.deliver()
    expect(partner.webhooks).toHaveLength(1)
  })

  it('when the pipeline hook throws: the reason and the time of the next call', async () => {
    let calls = 0
    const { kit, clock } = openHost(database.url, {
      pipeline: {
        async start() {
          calls += 1
          if (calls < 3) throw new Error('The queue is away.')
        },
      },
    })
    const partner = await kit.partner()
    const quote = await partner.startQuote()
    await expect(kit.deliver()).rejects.toThrow(
      /pipeline\.start threw .* call 1: The queue is away\. Due again at/,
    )
    await expect(quote.complete()).rejects.toThrow(/was never called .* not due\s+again yet/)
    clock.advance({ seconds: 2 })
    await expect(quote.complete()).rejects.toThrow(/call 2: The queue is away/)
    clock.advance({ seconds: 4 })
    await quote.complete()
    await kit.deliver()
    expect(partner.webhooks).toHaveLength(6)
  })

  it('when the pipeline hook was never called, because a worker took the quote', async () => {
    const { kit, integrations } = openHost(database.url)
    const partner = await kit.partner()
    const quote = await partner.startQuote()
    const other = createTestKit({ integrations })
    const rival = await other.partner({ organizationId: partner.organizationId })
    await other.deliver()
    await other.close()
    expect(rival.organizationId).toBe(partner.organizationId)
    await expect(quote.complete()).rejects.toThrow(
      /pipeline\.start was never called for quote .*another worker has taken it/s,
    )
  })

  it('when the kit is used after it is closed', async () => {
    const { kit } = openHost(database.url)
    const partner = await kit.partner()
    await kit.close()
    await kit.close()
    await expect(kit.deliver()).rejects.toThrow('closed')
    await expect(kit.partner()).rejects.toThrow('closed')
    expect(partner.webhooks).toEqual([])
  })
})

describe('A receiver that is set up to fail', () => {
  it.each([
    ['with 410: the event is rejected', { status: 410 }, 'rejected'],
    ['with a reset', { reset: true }, 'failed'],
    ['with silence', { hang: true }, 'failed'],
  ] as const)('%s', async (_, answer, status) => {
    const { kit } = openHost(database.url, { delivery: { timeoutMs: 5000 } })
    const partner = await kit.partner()
    await (await partner.startQuote()).complete('requirement_analysis')
    partner.answerNext(answer)
    expect(await kit.deliver()).toEqual([expect.objectContaining({ attempt: 1, status })])
    expect(partner.webhooks).toEqual([])
    expect(partner.requests).toHaveLength(1)
  })
})

it("The host's product name is in the verified headers", async () => {
  const { kit } = openHost(database.url, { productName: 'Acme' })
  const partner = await kit.partner()
  await (await partner.startQuote()).complete('requirement_analysis')
  await kit.deliver()
  expect(partner.requests[0]?.headers['x-acme-signature']).toMatch(/^v1=/)
  expect(partner.webhooks).toHaveLength(1)
})

/** A free port. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  return typeof address === 'object' && address !== null ? address.port : 0
}
