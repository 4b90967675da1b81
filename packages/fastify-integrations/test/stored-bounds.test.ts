import { STEPS } from '@quickquote/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, useHost } from './support/host.ts'
import { createEndpoint, WEBHOOKS } from './support/webhooks.ts'

/** Limits on stored data that `default-limits.test.ts` does not test (docs/security.md, "Limits"). */
const context = useHost({ integrations: { limits: { startsPerMinute: 1000, requestsPerMinute: 1000 } } })
let key: string
beforeAll(async () => {
  key = (await context.host.createKey()).key
})

const QUOTATIONS = '/v1/integrations/quotations'
const json = { requirementsText: 'A portal.' }

describe('a partner stores', () => {
  it('an Idempotency-Key of at most 255 characters', async () => {
    const start = (length: number) =>
      context.host.call('POST', QUOTATIONS, {
        key,
        json,
        headers: { 'Idempotency-Key': 'x'.repeat(length) },
      })
    expect((await start(255)).status).toBe(202)
    expect((await start(256)).status).toBe(400)
  })

  it('a trace of at most 55 and 512 characters, whatever the headers hold', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const tracestate = Array.from({ length: 500 }, (_, index) => `k${index}=${'v'.repeat(20)}`).join()
    const { status } = await context.host.call('POST', QUOTATIONS, {
      key,
      json,
      headers: { traceparent, tracestate },
    })
    expect(status).toBe(202)
    const [row] = await context.sql`
      select max(length(traceparent))::int as parent, coalesce(max(length(tracestate)), 0)::int as state
      from quickquote.quotations`
    expect(row?.['parent']).toBe(55)
    expect(row?.['state']).toBeLessThanOrEqual(512)
  })

  it('file names of at most 200 characters', async () => {
    const form = new FormData()
    form.append('files', new File(['text'], `${'x'.repeat(1000)}.txt`))
    const encoded = new Response(form)
    const { status } = await context.host.call('POST', QUOTATIONS, {
      key,
      headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
      body: new Uint8Array(await encoded.arrayBuffer()),
    })
    expect(status).toBe(202)
    const [row] = await context.sql`select max(length(name))::int as longest from quickquote.quotation_files`
    expect(row?.['longest']).toBe(200)
  })
})

describe('a member stores', () => {
  it('each event type of an endpoint once, however often it is sent', async () => {
    const events = Array.from({ length: 100 }, () => 'quotation.completed')
    const endpoint = await createEndpoint(context.host, { events })
    expect(endpoint['events']).toEqual(['quotation.completed'])
    const { body } = await context.host.call('PATCH', `${WEBHOOKS}/${endpoint.id}`, {
      member: 'acme-admin',
      json: { events },
    })
    expect(body['events']).toEqual(['quotation.completed'])
  })

  it.each([
    ['name', 200],
    ['description', 10_000],
    ['url', 2048],
  ])('%s of an endpoint of at most %i characters', async (field, most) => {
    const textOf = (length: number) =>
      field === 'url' ? `https://crm.example.com/${'x'.repeat(length - 24)}` : 'x'.repeat(length)
    const endpoint = await createEndpoint(context.host, { [field]: textOf(most) })
    expect(String(endpoint[field])).toHaveLength(most)
    const { status, body } = await context.host.call('PATCH', `${WEBHOOKS}/${endpoint.id}`, {
      member: 'acme-admin',
      json: { [field]: textOf(most + 1) },
    })
    expect([status, body['errors']]).toMatchObject([400, [{ pointer: `/${field}` }]])
  })
})

describe('a pipeline stores', () => {
  const report = async () => context.host.integrations.pipeline(await context.host.startQuotation(key, json))
  const refused = (pointer: string) =>
    expect.objectContaining({ code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ pointer })] })

  it('an error code of one line, at most 128 characters', async () => {
    const reporter = await report()
    for (const errorCode of ['x'.repeat(129), '', 'a\nb', 'a\0b', 'a\ud800']) {
      await expect(reporter.failed({ errorCode })).rejects.toEqual(refused('/errorCode'))
    }
    await reporter.failed({ errorCode: 'x'.repeat(128) })
  })

  it('a proposal name that follows the rules for names, and a document id that is a uuid', async () => {
    const reporter = await report()
    for (const step of STEPS.slice(0, -1)) {
      await reporter.stepCompleted(step)
    }
    for (const name of ['x'.repeat(201), '', 'a\u202eb', 'a\0b']) {
      await expect(reporter.proposalReady({ name })).rejects.toEqual(refused('/name'))
    }
    for (const documentId of ['42', '', `urn:uuid:${ACME}`]) {
      await expect(reporter.proposalReady({ documentId })).rejects.toEqual(refused('/documentId'))
    }
    await reporter.proposalReady({ name: 'x'.repeat(200), documentId: ACME })
    await reporter.completed()
  })

  it('no unknown step', async () => {
    const reporter = await report()
    const step = 'drawing' as 'proposal'
    await expect(reporter.stepStarted(step)).rejects.toEqual(refused('/step'))
    await expect(reporter.stepCompleted(step)).rejects.toEqual(refused('/step'))
    await expect(reporter.failed({ step })).rejects.toEqual(refused('/step'))
  })

  it('no metadata that JSON would change or cannot represent', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const start = (metadata: unknown) =>
      context.host.integrations.quotations.start({
        organizationId: ACME,
        source: 'ui',
        body: { ...json, metadata: metadata as never },
      })
    await expect(start({ a: [Number.NaN] })).rejects.toEqual(refused('/metadata/a/0'))
    await expect(start({ a: Number.POSITIVE_INFINITY })).rejects.toEqual(refused('/metadata/a'))
    await expect(start({ a: 1n })).rejects.toEqual(refused('/metadata'))
    await expect(start(cyclic)).rejects.toEqual(refused('/metadata'))
    const deep = JSON.parse(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)
    await expect(start(deep)).rejects.toEqual(refused('/metadata'))
    await start(deep.a)
  })
})
