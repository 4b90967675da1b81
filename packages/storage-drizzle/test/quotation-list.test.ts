import { AssertionError } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { QuotationFilter } from '@quickquote/core'
import { ANY_QUOTATION } from '@quickquote/core/internal'
import { expect, it } from 'vitest'
import { listQuotations } from '../src/quotations/quotations.sql.ts'
import { openDatabase } from './support/database.ts'

const { sql, storage } = await openDatabase()

/** Completed quotations of the web app, except that every 5,000th failed and the one after it is a partner's. */
async function organization(count: number): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into quickquote.quotations (id, organization_id, name, description, status, processed_step, source,
      external_id, created_at, updated_at)
    select (lpad(to_hex(1700000000000 + number), 12, '0') || '70008000000000' || substr(${id}::text, 1, 6))::uuid, ${id}::uuid, 'x', '',
      case number % 5000 when 0 then 'failed' else 'completed' end, 'proposal',
      case number % 5000 when 1 then 'api_key' else 'ui' end, case when number > 5000 then 'many' when number < 5 then 'few' end, to_timestamp((1700000000000 + number) / 1000.0), now()
    from generate_series(1, ${count}::int) number`
  return id
}

it('a list reads only the rows it returns, however many quotations there are', async () => {
  const own = await organization(20_000)
  await organization(20_000)
  await sql`analyze quickquote.quotations`
  const reads = (filter: Partial<QuotationFilter>) =>
    sql.begin(async (transaction) => {
      const { quotations } = storage.within(transaction)
      const read = async () => {
        const [row] = await transaction<{ read: number }[]>`
          select (pg_stat_get_xact_tuples_returned(indrelid) + sum(pg_stat_get_xact_tuples_fetched(indexrelid)))::int as read
          from pg_index where indrelid = 'quickquote.quotations'::regclass group by indrelid`
        return row?.read ?? 0
      }
      const before = await read()
      const listed = await quotations.list?.(own, { ...ANY_QUOTATION, ...filter }, { after: null, limit: 10 })
      return { listed: listed?.length, read: (await read()) - before }
    })
  // The planner looks at both ends of an index, for each source.
  const atMost = (rows: number) => expect.toSatisfy((read) => read <= rows + 4)
  expect(await reads({})).toEqual({ listed: 10, read: atMost(20) })
  expect(await reads({ source: 'api_key' })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ status: 'failed' })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ status: 'failed', source: 'api_key' })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ status: 'queued' })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ external_id: 'few' })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ external_id: 'few', status: 'completed' })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ external_id: 'few', source: 'api_key', status: 'failed' })).toEqual({
    listed: 0,
    read: atMost(1),
  })
  expect(await reads({ external_id: 'many' })).toEqual({ listed: 10, read: atMost(20) })
  expect(await reads({ external_id: 'other' })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ created_until: new Date(1700000000003) })).toMatchObject({ listed: 2 })
})

it('a filter with an unknown status or source is refused, and never part of the statement', () => {
  const hostile = `failed' or true --` as never
  for (const filter of [{ status: hostile }, { source: hostile }]) {
    expect(() => listQuotations({ ...ANY_QUOTATION, ...filter })).toThrow(AssertionError)
  }
})
