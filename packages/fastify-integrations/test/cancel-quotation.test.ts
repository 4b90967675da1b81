import { STEPS } from '@quickquote/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, type CallOptions, GLOBEX, NOWHERE, useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 10_000, startsPerMinute: 1 } } })
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

async function startQuote(organizationId = ACME, source: 'api_key' | 'ui' = 'api_key') {
  const quote = { organizationId, source, body: { requirementsText: 'x' } }
  const { quotation_id: id } = await context.host.integrations.quotations.start(quote)
  return { id, report: context.host.integrations.pipeline(id) }
}

const pathOf = (id: string) => `/v1/integrations/quotations/${id}`
const cancel = (id: string, { by = key, ...options }: CallOptions & { by?: string } = {}) =>
  context.host.call('POST', `${pathOf(id)}/cancel`, { key: by, ...options })
const read = async (path: string) => (await context.host.call('GET', path, { key })).body

/** The bodies of the events of a quote, oldest first. */
async function eventsOf(id: string) {
  const rows = await context.sql<{ body: string }[]>`
    select body from quickquote.events where quotation_id = ${id} order by sequence`
  return rows.map(({ body }) => JSON.parse(body) as { type: string; data: object })
}

describe('POST /v1/integrations/quotations/:id/cancel', () => {
  it('ends a queued quote at once: 202 with its summary, and one event without a known step', async () => {
    const { id } = await startQuote()
    const { status, body } = await cancel(id)
    expect(status).toBe(202)
    expect(body).toMatchObject({ id, status: 'failed', error_code: 'CANCELLED', processed_step: 'none' })
    expect(await read(pathOf(id))).toEqual(body)
    const data = { quotation_id: id, step: 'unknown', status: 'failed', error_code: 'CANCELLED' }
    expect(await eventsOf(id)).toMatchObject([{ type: 'quotation.failed', data }])
  })

  it('ends the step that runs, which the event names', async () => {
    const { id, report } = await startQuote()
    await report.stepCompleted('requirement_analysis')
    await report.stepStarted('functional_specification')
    await cancel(id)
    expect((await eventsOf(id)).at(-1)?.data).toMatchObject({ step: 'functional_specification' })
    const { steps, error_code } = await read(`${pathOf(id)}/pipeline`)
    expect(error_code).toBe('CANCELLED')
    expect(steps).toMatchObject([
      { status: 'completed' },
      { status: 'failed', error_code: 'CANCELLED' },
      { status: 'pending' },
      { status: 'pending' },
      { status: 'pending' },
    ])
  })

  it('names no step between two steps', async () => {
    const { id, report } = await startQuote()
    await report.stepCompleted('requirement_analysis')
    await cancel(id)
    expect((await eventsOf(id)).at(-1)?.data).toMatchObject({ step: 'unknown', error_code: 'CANCELLED' })
  })

  it('can be repeated, one after another and at once: the same answer, and one event', async () => {
    const { id } = await startQuote()
    const together = await Promise.all(Array.from({ length: 10 }, () => cancel(id)))
    const again = await cancel(id)
    for (const { status, body } of together) expect([status, body]).toEqual([202, again.body])
    expect(await eventsOf(id)).toHaveLength(1)
  })

  it('answers 409 QUOTATION_ENDED if the quote ended otherwise, and changes nothing', async () => {
    const failed = await startQuote()
    await failed.report.failed({ errorCode: 'TOO_VAGUE' })
    const completed = await startQuote()
    for (const step of STEPS) await completed.report.stepCompleted(step)
    await completed.report.completed()
    for (const { id } of [failed, completed]) {
      const before = await read(pathOf(id))
      const events = await eventsOf(id)
      expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'QUOTATION_ENDED' } })
      expect(await read(pathOf(id))).toEqual(before)
      expect(await eventsOf(id)).toEqual(events)
    }
  })

  it('refuses every later report, like any after an end', async () => {
    const { id, report } = await startQuote()
    await cancel(id)
    const conflict = expect.objectContaining({ code: 'STATE_CONFLICT' })
    for (const step of STEPS) await expect(report.stepCompleted(step)).rejects.toEqual(conflict)
    await expect(report.stepStarted('proposal')).rejects.toEqual(conflict)
    await expect(report.completed()).rejects.toEqual(conflict)
    await report.failed({ errorCode: 'ANOTHER' })
    expect(await read(pathOf(id))).toMatchObject({ error_code: 'CANCELLED' })
    expect(await eventsOf(id)).toHaveLength(1)
  })

  it('answers 403 to another organization and 404 for an unknown quote, and changes nothing', async () => {
    const { id } = await startQuote()
    const stranger = await context.host.createKey('globex-admin')
    const query = `?organization_id=${ACME}`
    for (const path of [`${pathOf(id)}/cancel`, `${pathOf(id)}/cancel${query}`]) {
      const answer = await context.host.call('POST', path, { key: stranger.key })
      expect(answer).toMatchObject({ status: 403, body: { code: 'OTHER_ORGANIZATION' } })
    }
    expect(await cancel(NOWHERE)).toMatchObject({ status: 404, body: { code: 'QUOTATION_NOT_FOUND' } })
    expect((await cancel('not-a-uuid')).status).toBe(400)
    expect(await read(pathOf(id))).toMatchObject({ status: 'queued' })
    await expect(context.host.integrations.quotations.cancel?.(GLOBEX, id)).rejects.toMatchObject({
      code: 'OTHER_ORGANIZATION',
    })
  })

  it('cancels quotes of the web app, too', async () => {
    const { id } = await startQuote(ACME, 'ui')
    expect(await cancel(id)).toMatchObject({ status: 202, body: { source: 'ui', error_code: 'CANCELLED' } })
  })

  it.each<[string, CallOptions]>([
    ['JSON', { json: { organization_id: GLOBEX, reason: 'x' } }],
    ['what is no JSON', { body: '{', headers: { 'Content-Type': 'application/json' } }],
    ['a form', { body: new FormData() }],
    ['nothing, as a form', { body: '', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    ['text', { body: 'x'.repeat(100_000), headers: { 'Content-Type': 'text/plain' } }],
  ])('ignores a body: %s', async (_, options) => {
    const { id } = await startQuote()
    expect((await cancel(id, options)).status).toBe(202)
  })

  it('counts for the general limit only', async () => {
    const { key: by } = await context.host.createKey()
    for (let left = 9999; left > 9996; left -= 1) {
      const { headers } = await cancel((await startQuote()).id, { by })
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"requests";r=${left};t=\\d+$`))
    }
  })

  it('has no other method', async () => {
    const { id } = await startQuote()
    for (const method of ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await context.host.call(method, `${pathOf(id)}/cancel`, { key })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expect((await context.host.call('POST', `${pathOf(id)}/cancel`)).status).toBe(401)
  })

  it("commits or rolls back with the host's transaction", async () => {
    const { integrations } = context.host
    const { id } = await startQuote()
    const fault = new Error('the host changes its mind')
    const rolledBack = context.sql.begin(async (tx) => {
      const summary = await integrations.within(tx).quotations.cancel?.(ACME, id)
      expect(summary).toMatchObject({ status: 'failed', error_code: 'CANCELLED' })
      throw fault
    })
    await expect(rolledBack).rejects.toBe(fault)
    expect(await read(pathOf(id))).toMatchObject({ status: 'queued' })
    expect(await eventsOf(id)).toEqual([])
    await context.sql.begin(async (tx) => void (await integrations.within(tx).quotations.cancel?.(ACME, id)))
    expect(await read(pathOf(id))).toMatchObject({ status: 'failed' })
    expect(await eventsOf(id)).toHaveLength(1)
  })
})
