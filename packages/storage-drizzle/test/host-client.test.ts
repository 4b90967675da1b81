import { randomUUID } from 'node:crypto'
import type { Integrations } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase, openIntegrations } from '@quickquote/dev-servers/vitest'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import postgres from 'postgres'
import { beforeEach, describe, expect, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { DRIZZLES, openPgPool } from './support/hosts.ts'
import { sampleEvent } from './support/samples.ts'

let databaseUrl: string
let own: Integrations

beforeEach(async () => {
  const opened = await openIntegrations()
  databaseUrl = opened.databaseUrl
  own = opened.integrations
})

/** The current state of a client. Functions are compared by identity. */
function makeUpOf(sql: postgres.Sql) {
  const { parsers, serializers, transform, types, ...options } = sql.options
  return {
    parsers: { ...parsers },
    serializers: { ...serializers },
    transform: copyOf(transform),
    options: { ...options },
    keys: Object.keys(sql).sort(),
  }
}

function copyOf(transform: object): object {
  return Object.fromEntries(Object.entries(transform).map(([name, value]) => [name, { ...Object(value) }]))
}

/** Values of each type as returned. */
const VALUES = `select now() as t, '{"a":1}'::jsonb as j, '{1,2}'::int[] as a, 1::bigint as b, '\\x00'::bytea as y, 1.5::numeric as n,
  '2026-11-21'::date as d`

const typesOf = (row: object | undefined) =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, Object.prototype.toString.call(value)]),
  )

/** Every operation that uses a client of the host. */
async function use(storage: DrizzleStorage): Promise<void> {
  await storage.migrate()
  await storage.requireMigrated()
  await storage.events.record(sampleEvent())
  await storage.workers.heartbeat(randomUUID())
  await storage.deliveries.round({
    workerId: randomUUID(),
    settled: [],
    limit: 10,
    perEndpoint: 1,
    now: new Date(),
  })
  const unlisten = await storage.workers.listen({ onWake() {} })
  await unlisten()
  await integrationsOn(storage).quotations.start(QUOTE)
  await integrationsOn(storage).close()
}

const QUOTE = {
  organizationId: randomUUID(),
  source: 'ui',
  body: { requirementsText: 'A roof.', metadata: { crm: 1 } },
} as const

const CLIENTS: Record<string, postgres.Options<Record<string, postgres.PostgresType>>> = {
  'with defaults': {},
  'with its own types': { types: { bigint: postgres.BigInt } },
  'that prepares nothing and fetches no types': { prepare: false, fetch_types: false },
}

describe.each(Object.entries(CLIENTS))("the host's postgres.js client %s", (_, options) => {
  it('is unchanged after use: parsers, serializers, options and results', async () => {
    const sql = postgres(databaseUrl, { ...options, max: 2, onnotice() {} })
    const [before] = await sql.unsafe(VALUES)
    const makeUp = makeUpOf(sql)

    await use(drizzleStorage({ sql }))

    expect(makeUpOf(sql)).toEqual(makeUp)
    const [after] = await sql.unsafe(VALUES)
    expect(typesOf(after)).toEqual(typesOf(before))
    const [at, json] = [new Date(), { a: [1] }]
    expect([...(await sql`select ${at}::timestamptz(3) as at, ${sql.json(json)} as json`)]).toEqual([
      { at, json },
    ])
    // Only the host closes its client.
    await sql.end()
  })
})

describe("the host's drizzle", () => {
  it('on postgres.js is unchanged inside and after its transactions', async () => {
    const sql = postgres(databaseUrl, { max: 1, onnotice() {} })
    const db = drizzle(sql)
    const [before] = await db.execute(VALUES)
    const makeUp = makeUpOf(sql)

    await db.transaction(async (tx) => {
      await own.within(tx).quotations.start(QUOTE)
      const [inside] = await tx.execute(VALUES)
      expect(typesOf(inside)).toEqual(typesOf(before))
    })

    expect(makeUpOf(sql)).toEqual(makeUp)
    expect(typesOf((await db.execute(VALUES))[0])).toEqual(typesOf(before))
    await sql.end()
  })

  it('on node-postgres is unchanged, including global type parsers', async () => {
    const pool = openPgPool(databaseUrl, { max: 1 })
    const db = drizzleOnPg(pool)
    const parserOf = (type: number) => pg.types.getTypeParser(type)
    const parsers = [1184, 3802, 20, 17, 1007].map(parserOf)
    const { rows: before } = await pool.query(VALUES)

    await db.transaction(async (tx) => {
      await own.within(tx).quotations.start(QUOTE)
    })

    expect([1184, 3802, 20, 17, 1007].map(parserOf)).toEqual(parsers)
    expect(typesOf((await pool.query(VALUES)).rows[0])).toEqual(typesOf(before[0]))
    await pool.end()
  })
})

describe.each(Object.entries(DRIZZLES))('%s, given as `db`', (_, openDrizzle) => {
  it('migrates an empty database, supports all operations, and is not closed', async () => {
    const empty = await emptyDatabase()
    const { db, close } = openDrizzle(empty.url)
    await use(drizzleStorage({ db }))
    const storage = drizzleStorage({ db })
    expect((await storage.migrationStatus()).pending).toEqual([])
    await storage.close()
    await close()
    await empty.drop()
  })

  it('rolls back our failed transactions completely', async () => {
    const { db, close } = openDrizzle(databaseUrl)
    const storage = drizzleStorage({ db })
    const event = sampleEvent()
    const work = storage.transaction(async (bound) => {
      await bound.events.record(event)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    const sql = postgres(databaseUrl, { max: 1 })
    expect(await sql`select from quickquote.events where id = ${event.id}`).toHaveLength(0)
    await sql.end()
    await close()
  })

  it('is notified of the work of others only with an additional connection string', async () => {
    const { db, close } = openDrizzle(databaseUrl)
    const [silent, listening] = [
      drizzleStorage({ db }),
      drizzleStorage({ db, connectionString: databaseUrl }),
    ]
    let heard = 0
    let told = 0
    await silent.workers.listen({
      onWake() {
        told += 1
      },
    })
    await listening.workers.listen({
      onWake() {
        heard += 1
      },
    })
    const isHeard = async (after: number) => {
      await expect.poll(() => heard).toBeGreaterThan(after)
      return heard
    }
    // Starting to listen is a notification, too.
    const begun = await isHeard(0)
    await own.quotations.start(QUOTE)
    const ofOthers = await isHeard(begun)
    expect(told).toBe(0)
    await integrationsOn(silent).quotations.start(QUOTE)
    await isHeard(ofOthers)
    expect(told).toBe(1)
    await listening.close()
    await silent.close()
    await close()
  })
})
