import assert from 'node:assert/strict'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { atMost } from './goal.ts'
import { httpContender, startPartnerHost } from './http-contender.ts'
import type { LoadService } from './load.ts'
import { createPartnerData, type PartnerData } from './partner-data.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { times } from './table.ts'

const FEW = 10_000
const FILL_AT_ONCE = 500_000
const YEAR_MS = 365 * 24 * 3600 * 1000

/** Pages per filter, spread over the whole list. */
const LISTS: Readonly<Record<string, (until: string) => string>> = {
  'the newest': () => '',
  'before any time': (until) => `?created_until=${until}`,
  'of a source, before any time': (until) => `?source=ui&created_until=${until}`,
  'that failed, before any time': (until) => `?status=failed&created_until=${until}`,
  'that have not ended': () => '?status=running',
}

export const listSize: Bench = {
  name: 'list-size',
  title: 'GET of a page of 50 quotations, as the list of the organization grows',

  async run(context) {
    const databaseUrl = await context.postgres.createDatabase()
    const client = context.start<LoadService>('./load.js')
    const sizes = [FEW, context.quotations]
    const contenders = []
    for (const size of sizes) {
      const data = await createPartnerData(databaseUrl, { schema: `size_${size}`, keys: 1000 })
      await fill(data, size - data.quotationIds.length)
      context.progress(`${size} quotations recorded`)
      const side = await startPartnerHost(context, data)
      for (const [name, query] of Object.entries(LISTS)) {
        const paths = Array.from({ length: 500 }, (_, n) => {
          const until = new Date(Date.now() - (YEAR_MS * n) / 500).toISOString()
          return `/v1/integrations/quotations${query(until)}`
        })
        const load = { method: 'GET', body: null, seconds: context.seconds, expectedStatus: 200 } as const
        contenders.push(
          httpContender(`${name}, of ${size}`, side, client, { ...load, paths, apiKeys: data.apiKeys }),
        )
      }
    }
    const measured = await takeTurns(contenders, { rounds: context.rounds, onRound: context.progress })
    const rows = Object.keys(LISTS).map((name, index) => {
      const [few, many] = [measured[index], measured[index + Object.keys(LISTS).length]]
      assert(few !== undefined && many !== undefined)
      const [small, large] = [medianOf(few, 'p50Ms'), medianOf(many, 'p50Ms')]
      return { name, small, large, growth: large / small }
    })
    const [few = '', many = ''] = sizes.map((size) => size.toLocaleString('en'))
    return {
      head: ['', `p50 ms of ${few}`, `of ${many}`, 'growth'],
      rows: rows.map(({ name, small, large, growth }) => [
        name,
        small.toFixed(1),
        large.toFixed(1),
        times(growth),
      ]),
      notes: ['32 requests in flight. Quotations of a year: 97 % completed, 1 % failed, 2 % running.'],
      goals: [
        atMost({
          goal: `The slowest list of ${many} quotations, against ${few}`,
          value: Math.max(...rows.map(({ growth }) => growth)),
          must: 2,
          format: times,
        }),
      ],
    }
  },
}

/** Quotations started over a year, with matching IDs. */
async function fill({ databaseUrl, schema, organizationId }: PartnerData, quotations: number): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, connection: { search_path: schema }, onnotice() {} })
  try {
    for (let from = 0; from < quotations; from += FILL_AT_ONCE) {
      await sql`
        insert into quotations (id, organization_id, name, description, status, processed_step, source, created_at, updated_at)
        select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
            || '8' || substr(md5(n::text), 4, 15))::uuid,
          ${organizationId}, 'Customer portal ' || n, 'Second phase, with invoices',
          case when n % 100 = 0 then 'failed' when n % 50 = 1 then 'running' else 'completed' end,
          'proposal', case when n % 3 = 0 then 'ui' else 'api_key' end, at, at
        from (
          select n, now() - interval '1 year' * (1 - n::float8 / ${quotations}::int) as at
          from generate_series(${from}::int, ${Math.min(from + FILL_AT_ONCE, quotations) - 1}::int) n
        ) as each`
    }
    await sql`vacuum analyze quotations`
  } finally {
    await sql.end()
  }
}
