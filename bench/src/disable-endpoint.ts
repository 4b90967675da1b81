import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropDatabase } from '@quickquote/dev-servers'
import { type DrizzleStorage, drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { Bench, BenchContext } from './bench.ts'
import { createSubscribers, databaseName, type Subscriber } from './old-day.ts'
import { startOutboxLoad } from './outbox-load.ts'
import { type Contender, type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'

const BACKLOG = 1_000_000
const SUBSCRIBERS = 20
const WATCHED_MS = 10_000

export const disableEndpoint: Bench = {
  name: 'disable-endpoint',
  title: 'Disabling an endpoint with 1,000,000 pending deliveries, while others receive theirs',

  async run(context) {
    const template = await context.postgres.createDatabase()
    const subscribers = await createSubscribers(template, SUBSCRIBERS)
    const [disabled, ...others] = subscribers
    assert(disabled !== undefined)
    context.progress('filling the outbox')
    await fillBacklog(template, disabled)

    const on = { context, template, others }
    const [product, statement] = await takeTurns(
      [
        contender('webhookEndpoints.update (a batch now)', on, async ({ storage }) => {
          const { organizationId, endpointId } = disabled
          await storage.webhookEndpoints.update(organizationId, endpointId, { is_enabled: false }, new Date())
        }),
        contender('one UPDATE of the whole backlog', on, ({ sql }) =>
          sql.begin(async (transaction) => {
            const id = disabled.endpointId
            await transaction`update quickquote.webhook_endpoints set is_enabled = false where id = ${id}`
            await transaction`
              update quickquote.deliveries set parked_at = now()
              where endpoint_id = ${id} and leased_by is null and parked_at is null`
          }),
        ),
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(product !== undefined && statement !== undefined)
    return {
      head: ['', 'ms', 'ratio', 'WAL MiB', 'writes/s', 'longest ms', 'before: writes/s', 'longest ms'],
      rows: [product, statement].map((each) => rowOf(each, statement)),
      notes: ['The others are watched for ten seconds, in which claims park the rest.'],
    }
  },
}

async function fillBacklog(databaseUrl: string, { organizationId, endpointId }: Subscriber): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, connection: { search_path: 'quickquote' }, onnotice() {} })
  await sql`
    with event as (
      insert into events (id, organization_id, type, body, created_at)
      values (gen_random_uuid(), ${organizationId}, 'quotation.completed', '{}', now()) returning *
    )
    insert into deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
    select gen_random_uuid(), organization_id, ${endpointId}, id, created_at, now() - n * interval '1 ms'
    from event, generate_series(1, ${BACKLOG}::int) n`
  await sql`vacuum analyze deliveries`
  await sql.end()
}

type Disabling = {
  readonly ms: number
  readonly walMib: number
  readonly perSecond: number
  readonly longestMs: number
  readonly perSecondBefore: number
  readonly longestBeforeMs: number
}

/** Each round has a copy of the database. */
function contender(
  name: string,
  { context, template, others }: { context: BenchContext; template: string; others: readonly Subscriber[] },
  disable: (given: { storage: DrizzleStorage; sql: postgres.Sql }) => Promise<unknown>,
): Contender<Disabling> {
  return {
    name,
    async measure() {
      const url = await context.postgres.createDatabase(undefined, { template: databaseName(template) })
      const storage = drizzleStorage({ connectionString: url })
      const sql = postgres(url, { max: 1 })
      const walBytes = async () => {
        const [row] = await sql<
          { bytes: string }[]
        >`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`
        return Number(row?.bytes)
      }
      try {
        await sql`checkpoint`
        const load = startOutboxLoad(storage, others)
        await sleep(1000)
        load.stretch()
        await sleep(2000)
        const usual = load.stretch()
        const wal = await walBytes()
        const begun = performance.now()
        await disable({ storage, sql })
        const ms = performance.now() - begun
        const walMib = ((await walBytes()) - wal) / 2 ** 20
        await sleep(Math.max(0, WATCHED_MS - ms))
        const meanwhile = load.stretch()
        await load.stop()
        return {
          ms,
          walMib,
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

function rowOf(each: Measured<Disabling>, base: Measured<Disabling>): string[] {
  const figure = (name: keyof Disabling) => medianOf(each, name).toFixed(0)
  return [
    each.name,
    figure('ms'),
    `${ratioOf(base, each, 'ms').median.toFixed(0)}x`,
    figure('walMib'),
    figure('perSecond'),
    figure('longestMs'),
    figure('perSecondBefore'),
    figure('longestBeforeMs'),
  ]
}
