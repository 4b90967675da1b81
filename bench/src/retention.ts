import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropDatabase } from '@quickquote/dev-servers'
import { type DrizzleStorage, drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { Bench, BenchContext } from './bench.ts'
import { createSubscribers, databaseName, fillOldDay, type Subscriber } from './old-day.ts'
import { startOutboxLoad } from './outbox-load.ts'
import { type Contender, type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'

const EVENTS = 1_000_000
const SUBSCRIBERS = 20

export const retention: Bench = {
  name: 'retention',
  title: 'Removing a day of 1,000,000 events and 1,000,000 attempts, while others are written',

  async run(context) {
    const template = await context.postgres.createDatabase()
    const subscribers = await createSubscribers(template, SUBSCRIBERS)
    context.progress('filling a day')
    await fillOldDay(template, subscribers, EVENTS)

    const on = { context, template, subscribers }
    const [dropped, deleted] = await takeTurns(
      [
        removal('retention (drops the day)', on, async ({ storage, before }) => {
          assert.deepEqual(await storage.retention.dropHistory(before), {
            days: 2,
            rows: 0,
            isBlocked: false,
          })
        }),
        removal('DELETE of its rows', on, async ({ sql, before }) => {
          await sql`delete from quickquote.delivery_attempts where created_at < ${before}`
          await sql`delete from quickquote.events where created_at < ${before}`
        }),
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(dropped !== undefined && deleted !== undefined)
    return {
      head: [
        '',
        'seconds',
        'ratio',
        'WAL MiB',
        'MiB given back',
        'writes/s',
        'longest ms',
        'before: writes/s',
        'longest ms',
      ],
      rows: [dropped, deleted].map((each) => rowOf(each, deleted)),
      notes: [
        'Meanwhile, through the storage, four loops record events and one settles deliveries. "before" is the previous second.',
        'DELETE is one statement per table; the next vacuum returns the space to PostgreSQL, not to the disk.',
      ],
    }
  },
}

type Removal = {
  readonly seconds: number
  readonly walMib: number
  readonly freedMib: number
  readonly perSecond: number
  readonly longestMs: number
  readonly perSecondBefore: number
  readonly longestBeforeMs: number
}

interface Removing {
  readonly storage: DrizzleStorage
  readonly sql: postgres.Sql
  readonly before: Date
}

/** Each round has a copy of the database. */
function removal(
  name: string,
  {
    context,
    template,
    subscribers,
  }: { context: BenchContext; template: string; subscribers: readonly Subscriber[] },
  remove: (removing: Removing) => Promise<void>,
): Contender<Removal> {
  return {
    name,
    async measure() {
      const url = await context.postgres.createDatabase(undefined, { template: databaseName(template) })
      const storage = drizzleStorage({ connectionString: url })
      const sql = postgres(url, { max: 1 })
      try {
        await sql`checkpoint`
        const load = startOutboxLoad(storage, subscribers)
        await sleep(1000)
        load.stretch()
        await sleep(1000)
        const usual = load.stretch()
        const [wal, size] = [await walBytes(sql), await databaseBytes(sql)]
        const begun = performance.now()
        await remove({ storage, sql, before: new Date(Date.now() - 30 * 24 * 60 * 60 * 1000) })
        const seconds = (performance.now() - begun) / 1000
        const walMib = ((await walBytes(sql)) - wal) / 2 ** 20
        const freedMib = (size - (await databaseBytes(sql))) / 2 ** 20
        // By then, statements that had to wait have finished.
        if (seconds < 1) await sleep(1000 - seconds * 1000)
        const meanwhile = load.stretch()
        await load.stop()
        return {
          seconds,
          walMib,
          freedMib,
          ...meanwhile,
          perSecondBefore: usual.perSecond,
          longestBeforeMs: usual.longestMs,
        }
      } finally {
        await storage.close()
        await sql.end()
        await dropDatabase(context.postgres.url, databaseName(url))
      }
    },
  }
}

async function walBytes(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`
  return Number(row?.bytes)
}

async function databaseBytes(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`select pg_database_size(current_database()) as bytes`
  return Number(row?.bytes)
}

function rowOf(contender: Measured<Removal>, base: Measured<Removal>): string[] {
  const figure = (name: keyof Removal, digits = 0) => medianOf(contender, name).toFixed(digits)
  const { median } = ratioOf(base, contender, 'seconds')
  return [
    contender.name,
    figure('seconds', 3),
    `${median.toFixed(0)}x`,
    figure('walMib', 1),
    figure('freedMib'),
    figure('perSecond'),
    figure('longestMs'),
    figure('perSecondBefore'),
    figure('longestBeforeMs'),
  ]
}
