import { beforeAll, describe, expect, it } from 'vitest'
import { useHost } from './support/host.ts'

const context = useHost()
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

async function storedWith(headers: Record<string, string>): Promise<unknown> {
  const { status, body } = await context.host.call('POST', '/v1/integrations/quotations', {
    key,
    json: { requirementsText: 'A portal.' },
    headers,
  })
  expect(status).toBe(202)
  const [row] = await context.sql`
    select traceparent, tracestate from quickquote.quotations where id = ${String(body['quotation_id'])}`
  return row
}

describe('the trace that a partner sends with a start', () => {
  it('is kept with the quote', async () => {
    expect(await storedWith({ traceparent: TRACEPARENT, tracestate: 'vendor=1' })).toEqual({
      traceparent: TRACEPARENT,
      tracestate: 'vendor=1',
    })
  })

  it.each([
    {},
    { traceparent: 'junk' },
    { traceparent: `${TRACEPARENT}, ${TRACEPARENT}` },
    { tracestate: 'vendor=1' },
  ])('%j is ignored, without an error', async (headers) => {
    expect(await storedWith(headers)).toEqual({ traceparent: null, tracestate: null })
  })
})
