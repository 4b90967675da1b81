import assert from 'node:assert/strict'
import type { AttemptFilter } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { Bench, BenchContext } from './bench.ts'
import { quantile } from './delivery/arrivals.ts'
import { atMost } from './goal.ts'
import { addEndpoints, createSubscribers } from './old-day.ts'
import { medianOf, takeTurns } from './rounds.ts'
import { milliseconds } from './table.ts'

const ATTEMPTS = 1_000_000
const DAYS = 30
/** The most that an organization may have. */
const ENDPOINTS = 50
const LIMIT = 50
/** Pages of each list in a round, spread over the days. */
const PAGES = 20
const DAY_MS = 24 * 60 * 60 * 1000
const MUST_MS = 25

const EVERYTHING: AttemptFilter = {
  endpoint_id: null,
  event_type: null,
  status: null,
  undelivered: null,
  since: null,
  until: null,
}

/** Without an endpoint: with one, there is an index of just that. */
const LISTS: Readonly<Record<string, Partial<AttemptFilter>>> = {
  all: {},
  succeeded: { status: 'succeeded' },
  'failed, one in 50': { status: 'failed' },
  'of an event type, one in 100': { event_type: 'quotation.failed' },
  'undelivered, one in 50': { undelivered: 'all' },
}

export const attemptLists: Bench = {
  name: 'attempt-lists',
  title: `A page of ${LIMIT} of an organization's ${ATTEMPTS.toLocaleString('en')} attempts in ${DAYS} days`,

  async run(context) {
    const few = await openLog(context, 2)
    const many = await openLog(context, ENDPOINTS)
    try {
      const measured = await takeTurns(
        [few, many].flatMap(({ endpoints, pageMs }) =>
          Object.entries(LISTS).map(([name, filter]) => ({
            name: `${name}, ${endpoints} endpoints`,
            measure: () => pageMs(filter),
          })),
        ),
        { rounds: context.rounds, onRound: context.progress },
      )
      const rows = Object.keys(LISTS).map((name, index) => {
        const [small, large] = [measured[index], measured[index + Object.keys(LISTS).length]]
        assert(small !== undefined && large !== undefined)
        return { name, small: medianOf(small, 'p50Ms'), large: medianOf(large, 'p50Ms') }
      })
      return {
        head: ['', 'p50 ms, 2 endpoints', `${ENDPOINTS} endpoints`],
        rows: rows.map(({ name, small, large }) => [name, small.toFixed(1), large.toFixed(1)]),
        notes: ['One request at a time, straight from the storage. Each day is a partition.'],
        goals: [
          atMost({
            goal: 'The slowest list of attempts',
            value: Math.max(...rows.flatMap(({ small, large }) => [small, large])),
            must: MUST_MS,
            format: milliseconds,
          }),
        ],
      }
    } finally {
      await few.close()
      await many.close()
    }
  },
}

/** An organization's log of 30 days. */
async function openLog({ postgres: server, progress }: BenchContext, endpoints: number) {
  const url = await server.createDatabase()
  const [subscriber] = await createSubscribers(url, 1)
  assert(subscriber !== undefined)
  const { organizationId } = subscriber
  const sql = postgres(url, { max: 1, connection: { search_path: 'quickquote' }, onnotice() {} })
  await addEndpoints(sql, endpoints)
  for (let day = 1; day <= DAYS; day += 1) {
    const [from, to] = [day, day - 1].map((ago) =>
      new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10),
    )
    await sql.unsafe(`create table if not exists delivery_attempts_${day}_ago partition of delivery_attempts
      for values from ('${from}T00:00:00Z') to ('${to}T00:00:00Z')`)
  }
  await sql`
    insert into delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id,
      attempt, status, http_status, duration_ms, is_test, created_at, response_body)
    select gen_random_uuid(), made.id, endpoint.organization_id, endpoint.id, made.id,
      case when n % 100 = 7 then 'quotation.failed' else 'quotation.completed' end, gen_random_uuid(), 1,
      case when n % 50 = 0 then 'failed' else 'succeeded' end, 204, 12, false, at, '{"received":true}'
    from generate_series(1, ${ATTEMPTS}::int) n
    cross join lateral (select now() - ${DAYS}::int * interval '1 day' * (1 - n::float8 / ${ATTEMPTS}::int) as at) as time
    cross join lateral (select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
      || '8' || substr(md5(n::text), 4, 15))::uuid as id) as made
    join (select *, row_number() over () as place from webhook_endpoints) endpoint on place = 1 + n % ${endpoints}::int
    order by n`
  await sql`vacuum analyze delivery_attempts`
  await sql.end()
  progress(`${ATTEMPTS} attempts of ${endpoints} endpoints recorded`)

  const storage = drizzleStorage({ connectionString: url })
  return {
    endpoints,
    async pageMs(filter: Partial<AttemptFilter>) {
      const took: number[] = []
      for (let page = 0; page < PAGES; page += 1) {
        const until = new Date(Date.now() - (page * (DAYS - 5) * DAY_MS) / PAGES)
        const begun = performance.now()
        const attempts = await storage.deliveryLog.listAttempts(
          organizationId,
          { ...EVERYTHING, ...filter, until },
          { after: null, limit: LIMIT },
        )
        took.push(performance.now() - begun)
        assert.equal(attempts.length, LIMIT)
      }
      return { p50Ms: quantile(took, 0.5) }
    },
    close: () => storage.close(),
  }
}
