import { randomUUID } from 'node:crypto'
import { createIntegrations, type Integrations, silentLogger } from '@quickquote/core'
import type { TestDatabase } from '@quickquote/dev-servers'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { sampleEvent } from './samples.ts'

let database: TestDatabase
let own: Integrations

beforeEach(async () => {
  database = await migratedDatabase()
  const storage = drizzleStorage({ connectionString: database.url })
  own = integrationsOn(storage)
})

afterEach(async () => {
  await own.close()
  await database.drop()
})

function integrationsOn(storage: ReturnType<typeof drizzleStorage>): Integrations {
  return createIntegrations({
    storage,
    pipeline: { start: async () => {}, signDocumentUrl: () => Promise.reject(new Error('not used')) },
    encryptionKeys: [{ id: 'key-1', key: Buffer.alloc(32, 7) }],
    logger: silentLogger,
  })
}

/** What a client is made of, as it is now. Functions are compared by identity. */
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

/** What values of each type come back as. */
const VALUES = `select now() as t, '{"a":1}'::jsonb as j, '{1,2}'::int[] as a, 1::bigint as b, '\\x00'::bytea as y, 1.5::numeric as n,
  '2026-11-21'::date as d`

const typesOf = (row: object | undefined) =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, Object.prototype.toString.call(value)]),
  )

/** Everything that goes through a client that was given as `sql`. */
async function use(sql: postgres.Sql): Promise<void> {
  const storage = drizzleStorage({ sql })
  await storage.migrate()
  await storage.requireMigrated()
  await storage.events.record(sampleEvent())
  await storage.workers.heartbeat(randomUUID())
  await storage.deliveries.settleAndClaim({
    workerId: randomUUID(),
    settled: [],
    limit: 10,
    perEndpoint: 1,
    now: new Date(),
  })
  const unlisten = await storage.workers.listen(() => {})
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
  'as it comes': {},
  'with types of its own': { types: { bigint: postgres.BigInt } },
  'that prepares nothing and fetches no types': { prepare: false, fetch_types: false },
}

describe.each(Object.entries(CLIENTS))("the host's postgres.js client %s", (_, options) => {
  it('is used, and is afterwards as it was before: parsers, serializers, options, results', async () => {
    const sql = postgres(database.url, { ...options, max: 2, onnotice() {} })
    const [before] = await sql.unsafe(VALUES)
    const makeUp = makeUpOf(sql)

    await use(sql)

    expect(makeUpOf(sql)).toEqual(makeUp)
    const [after] = await sql.unsafe(VALUES)
    expect(typesOf(after)).toEqual(typesOf(before))
    const [at, json] = [new Date(), { a: [1] }]
    expect([...(await sql`select ${at}::timestamptz(3) as at, ${sql.json(json)} as json`)]).toEqual([
      { at, json },
    ])
    // It is the host's: nobody but the host closes it.
    await sql.end()
  })
})

describe("the host's drizzle", () => {
  it('on postgres.js is as it was before, inside of its transactions and after them', async () => {
    const sql = postgres(database.url, { max: 1, onnotice() {} })
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

  it('on node-postgres is as it was before, its global type parsers included', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
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
