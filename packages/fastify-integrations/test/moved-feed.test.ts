import { expect, it } from 'vitest'
import { ACME, type Host, openHost, useDatabase } from './support/host.ts'

const database = useDatabase()
const LINE = 'the positions of the event feed were behind the stored events'

async function read(host: Host, key: string, query = '') {
  const path = `/v1/integrations/events?generation_source=all&limit=100${query}`
  const { status, headers, body } = await host.call('GET', path, { key })
  const [, after] = /after=([^&>]+)/.exec(headers.get('link') ?? '') ?? []
  const ids = Array.isArray(body) ? body.map(({ id }: { id: string }) => id) : []
  return { status, code: body['code'], ids, next: `&after=${after}` }
}

async function failedQuote({ integrations }: Host): Promise<void> {
  const quote = { organizationId: ACME, source: 'ui', body: { requirementsText: 'x' } } as const
  const { quotation_id } = await integrations.quotations.start(quote)
  await integrations.pipeline(quotation_id).failed()
}

it('a move that copied rows, but no sequence, loses no event: cursors expire until the next process repairs the positions', async () => {
  const host = await openHost({ databaseUrl: database.url })
  const { key } = await host.createKey()
  for (let count = 0; count < 12; count += 1) await failedQuote(host)
  const before = await read(host, key)
  expect(before.ids).toHaveLength(12)

  await database.sql`alter sequence quickquote.feed_positions restart`
  for (let count = 0; count < 5; count += 1) await failedQuote(host)
  expect(await read(host, key, before.next)).toMatchObject({ status: 410, code: 'CURSOR_EXPIRED', ids: [] })
  const partly = await read(host, key)
  expect(await host.integrations.storage.eventFeed.isBehind()).toBe(true)

  const restarted = await openHost({ databaseUrl: database.url })
  await expect.poll(() => restarted.logs.filter((line) => line.includes(LINE))).toHaveLength(1)
  expect(await host.integrations.storage.eventFeed.isBehind()).toBe(false)
  const after = await read(restarted, key, before.next)
  expect(after).toMatchObject({ status: 200, ids: { length: 5 } })
  await failedQuote(restarted)
  const { ids } = await read(restarted, key)
  expect(ids.slice(0, 17)).toEqual([...before.ids, ...after.ids])
  expect([ids.length, new Set(ids).size]).toEqual([18, 18])
  // A reader that began in between has a cursor of a moved event, or goes on without a gap.
  const rest = await read(restarted, key, partly.next)
  if (rest.status !== 410) expect(new Set([...partly.ids, ...rest.ids])).toEqual(new Set(ids))

  const again = await openHost({ databaseUrl: database.url })
  await again.integrations.repairFeed()
  expect(again.logs.filter((line) => line.includes(LINE))).toEqual([])
})
