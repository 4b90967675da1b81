import assert from 'node:assert/strict'
import { dropDatabase } from '@quickquote/dev-servers'
import { type DrizzleStorage, drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { atMost } from './goal.ts'
import { addEndpoints, createSubscribers, databaseName } from './old-day.ts'
import { type Contender, medianOf, ratioOf, takeTurns } from './rounds.ts'

const ATTEMPTS = 1_000_000
const ENDPOINTS = 10
const HOUR_MS = 60 * 60 * 1000
/** A quarter of an hour, and the wait until it is counted. */
const LONGEST_UNCOUNTED_MS = (15 + 6) * 60 * 1000
/** The longest acceptable read of the chart. */
const READ_MUST_MS = 50
const READ_AIM_MS = 25
const READS = 5
const INSERTS = 50_000

export const deliveryHours: Bench = {
  name: 'delivery-hours',
  title: 'Attempts by the hour: the last 24 of an organization with 1,000,000 attempts a day',

  async run(context) {
    const url = await context.postgres.createDatabase()
    const [subscriber] = await createSubscribers(url, 1)
    assert(subscriber !== undefined)
    const sql = postgres(url, { max: 1, connection: { search_path: 'quickquote' }, onnotice() {} })
    // Reading the attempts may take longer than the product's timeout.
    const storage = drizzleStorage({ connectionString: url, statementTimeoutMs: 600_000 })
    context.progress('filling a day')
    await addEndpoints(sql, ENDPOINTS)
    await insertAttempts(sql, ATTEMPTS, '24 hours')

    const begun = performance.now()
    await storage.retention.countHours()
    const countMs = performance.now() - begun
    // The worst case: a quarter of an hour is about to be counted.
    const [row] = await sql<{ until: Date }[]>`select until from delivery_hours_counted`
    assert(row !== undefined)
    const countedUntil = row.until
    const span = {
      organizationId: subscriber.organizationId,
      since: new Date(countedUntil.getTime() - 23 * HOUR_MS),
      until: new Date(countedUntil.getTime() + LONGEST_UNCOUNTED_MS),
    }
    await sql`delete from delivery_attempts where created_at >= ${countedUntil}`
    const uncounted = Math.round((ATTEMPTS * LONGEST_UNCOUNTED_MS) / (24 * HOUR_MS))
    await insertAttempts(sql, uncounted, `${LONGEST_UNCOUNTED_MS} milliseconds`, span.until)
    await sql`vacuum analyze delivery_attempts`
    const reading = (name: string, counted: Date): Contender<{ ms: number; attempts: number }> => ({
      name,
      async measure() {
        await sql`update delivery_hours_counted set until = ${counted}`
        return read(storage, span)
      },
    })
    const rounds = { rounds: context.rounds, onRound: context.progress }
    const [finished, attempts] = await takeTurns(
      [reading('hourly counts', countedUntil), reading('attempts', new Date(0))],
      rounds,
    )
    assert(finished !== undefined && attempts !== undefined)

    const inserting = (name: string, trigger: 'enable' | 'disable'): Contender<{ us: number }> => ({
      name,
      async measure() {
        await sql.unsafe(`alter table delivery_attempts ${trigger} trigger count_late_attempt`)
        const from = performance.now()
        await insertAttempts(sql, INSERTS, '1 second')
        return { us: ((performance.now() - from) * 1000) / INSERTS }
      },
    })
    const [watched, bare] = await takeTurns(
      [inserting('with the trigger', 'enable'), inserting('without it', 'disable')],
      rounds,
    )
    assert(watched !== undefined && bare !== undefined)
    await storage.close()
    await sql.end()
    await dropDatabase(context.postgres.url, databaseName(url))

    return {
      head: ['', 'ms', 'ratio', 'attempts'],
      rows: [finished, attempts].map((each) => [
        each.name,
        medianOf(each, 'ms').toFixed(1),
        `${ratioOf(attempts, each, 'ms').median.toFixed(2)}x`,
        medianOf(each, 'attempts').toFixed(0),
      ]),
      notes: [
        `Counting the ${ATTEMPTS.toLocaleString('en')} attempts took ${countMs.toFixed(0)} ms: ${((countMs * 1000) / ATTEMPTS).toFixed(2)} us per attempt, once.`,
        `Writing an attempt takes ${medianOf(watched, 'us').toFixed(2)} us, or ${medianOf(bare, 'us').toFixed(2)} without the trigger for late ones.`,
      ],
      goals: [
        atMost({
          goal: 'attempts by the hour, with a million a day',
          value: medianOf(finished, 'ms'),
          must: READ_MUST_MS,
          aim: READ_AIM_MS,
          format: (value) => `${value.toFixed(1)} ms`,
        }),
        atMost({
          goal: 'attempts by the hour, against reading the attempts',
          value: ratioOf(finished, attempts, 'ms').median,
          must: 0.1,
          aim: 0.05,
          format: (value) => `${(value * 100).toFixed(1)} %`,
        }),
      ],
    }
  },
}

/** Spread evenly over the endpoints and the time up to `end` (default: now); one in fifty failed. */
async function insertAttempts(
  sql: postgres.Sql,
  count: number,
  span: string,
  end: Date | null = null,
): Promise<void> {
  await sql`
    insert into delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id,
      attempt, status, http_status, duration_ms, is_test, created_at, response_body)
    select gen_random_uuid(), gen_random_uuid(), endpoint.organization_id, endpoint.id, gen_random_uuid(),
      'quotation.completed', gen_random_uuid(), 1, case when n % 50 = 0 then 'failed' else 'succeeded' end, 204, 12, false,
      coalesce(${end}::timestamptz, now()) - ${span}::interval + n * ${span}::interval / ${count}::int, '{"received":true}'
    from generate_series(1, ${count}::int) n
    join (select *, row_number() over () as place from webhook_endpoints) endpoint on place = 1 + n % ${ENDPOINTS}::int
    order by n`
}

async function read(
  storage: DrizzleStorage,
  { organizationId, since, until }: { organizationId: string; since: Date; until: Date },
): Promise<{ ms: number; attempts: number }> {
  const times: number[] = []
  let attempts = 0
  for (let index = 0; index < READS; index += 1) {
    const begun = performance.now()
    const hours = await storage.deliveryLog.countByHour(organizationId, { endpoint_id: null, since, until })
    times.push(performance.now() - begun)
    attempts = hours.reduce((sum, { delivered, failed }) => sum + delivered + failed, 0)
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(READS / 2)] ?? Number.NaN, attempts }
}
