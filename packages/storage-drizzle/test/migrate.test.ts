import { ConfigurationError } from '@quickquote/core'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import pg from 'pg'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver } from '../src/connection/driver.ts'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { migrate } from '../src/migrations/migrate.ts'
import { laterVersion } from './support/later-version.ts'

const later = await laterVersion({ hasMigrations: false })

let database: TestDatabase
let sql: postgres.Sql
let opened: DrizzleStorage[]

beforeEach(async () => {
  database = await emptyDatabase()
  sql = postgres(database.url, { onnotice() {} })
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((storage) => storage.close()))
  await sql.end()
  await database.drop()
})

function open(options: { schema?: string } = {}): DrizzleStorage {
  const storage = drizzleStorage({ connectionString: database.url, maxConnections: 2, ...options })
  opened.push(storage)
  return storage
}

/** Everything in the SQL schema: tables, partitions, indexes, and when each migration was applied. */
async function contents(schema: string) {
  const objects = await sql`
    select relname, relkind from pg_class where relnamespace = to_regnamespace(${schema}) order by relname`
  const journal = objects.length === 0 ? [] : await sql`select * from ${sql(schema)}.migrations order by name`
  return { objects: [...objects], journal: [...journal] }
}

describe('migrate', () => {
  it('applies everything once when ten processes start at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => open().migrate()))

    const { journal } = await contents('quickquote')
    const applied = journal.map((row) => row['name'])
    expect(applied).toContain('0001_initial.sql')
    expect(results).toEqual(Array(10).fill({ applied, pending: [] }))
  })

  it('sends one statement at a time, each of which any client and any engine takes', async () => {
    const client = new pg.Client(database.url)
    await client.connect()
    // PostgreSQL refuses several at once in this mode.
    const extended = { rowMode: 'array', queryMode: 'extended' } as const
    const values = async (text: string, parameters: readonly unknown[] = []) =>
      (await client.query<unknown[]>({ ...extended, text, values: [...parameters] })).rows
    const statements = { values, script: async (text: string) => void (await values(text)) }
    const begin: Driver['begin'] = async (work, timeout) => {
      await values('begin')
      await values(timeout?.settings ?? '')
      const result = await work(statements)
      await values('commit')
      return result
    }
    await migrate({ ...statements, begin } as never, 'quickquote')
    await client.end()

    expect(await open().migrationPlan()).toBeNull()
  })

  it('changes nothing if nothing is pending', async () => {
    const storage = open()
    await storage.migrate()
    const before = await contents('quickquote')

    await storage.migrate()

    expect(await contents('quickquote')).toEqual(before)
  })

  it('uses only the SQL schema chosen by the host, and two of them are independent', async () => {
    await open({ schema: 'partner_quotes' }).migrate()
    expect((await contents('quickquote')).objects).toEqual([])

    await open().migrate()

    const [one, other] = [await contents('quickquote'), await contents('partner_quotes')]
    expect(other.objects).toEqual(one.objects)
    expect(await foreignKeysThatLeave('partner_quotes')).toEqual([])
  })

  it('changes nothing if it fails halfway', async () => {
    await sql`create schema quickquote`
    await sql`create table quickquote.deliveries (in_the_way int)`
    const before = await contentsWithoutJournal()
    const storage = open()

    await expect(storage.migrate()).rejects.toMatchObject({ name: 'StorageError', code: '42P07' })
    expect(await contentsWithoutJournal()).toEqual(before)

    await sql`drop table quickquote.deliveries`
    expect((await storage.migrate()).pending).toEqual([])
  })

  it('refuses a database migrated by a newer version', async () => {
    const storage = open()
    await storage.migrate()
    await sql`insert into quickquote.migrations (name, hash) values ('9999_future.sql', '')`

    await expect(storage.migrate()).rejects.toThrow(ConfigurationError)
    await expect(storage.migrate()).rejects.toThrow(/9999_future\.sql.*newer version/)
    await expect(storage.requireMigrated()).rejects.toThrow(ConfigurationError)
  })

  it('applies the functions again when they have changed, and status and plan say so', async () => {
    const storage = open()
    await storage.migrate()
    const another = later.drizzleStorage({ connectionString: database.url, maxConnections: 1 })
    opened.push(another)
    const functions = expect.stringMatching(/^functions \w+$/)

    expect(await another.migrationStatus()).toEqual({ applied: ['0001_initial.sql'], pending: [functions] })
    await expect(another.requireMigrated()).rejects.toThrow(/lacks the migrations functions/)
    expect(await another.migrationPlan()).toContain(
      'create or replace function "quickquote".forget_quotation',
    )
    expect((await another.migrate()).pending).toEqual([])

    const body = await sql`select prosrc from pg_proc where proname = 'forget_quotation'`
    expect(body).toMatchObject([{ prosrc: expect.stringContaining('labels') }])
    expect(await another.migrationPlan()).toBeNull()
    // An older version does not bring its own back.
    await expect(storage.migrate()).rejects.toThrow(/functions \w+, .*newer version/)
    await expect(storage.requireMigrated()).rejects.toThrow(ConfigurationError)
  })

  it('refuses a migration edited after it was applied', async () => {
    const storage = open()
    await storage.migrate()
    await sql`update quickquote.migrations set hash = 'of another text' where name = '0001_initial.sql'`

    await expect(storage.migrate()).rejects.toThrow(/0001_initial\.sql differs from the one applied/)
    await expect(storage.migrationStatus()).rejects.toThrow(ConfigurationError)
  })
})

describe('a database without migrations', () => {
  it('is reported by migrationStatus, which changes nothing', async () => {
    const { applied, pending } = await open().migrationStatus()

    expect(applied).toEqual([])
    expect(pending).toContain('0001_initial.sql')
    expect((await contents('quickquote')).objects).toEqual([])
  })

  it('is refused by requireMigrated, which says what to run', async () => {
    const storage = open()
    await expect(storage.requireMigrated()).rejects.toThrow(ConfigurationError)
    await expect(storage.requireMigrated()).rejects.toThrow(
      /0001_initial\.sql.*`npx @quickquote\/storage-drizzle migrate`.*storage\.migrate\(\)/,
    )
    await expect(open({ schema: 'partner_quotes' }).requireMigrated()).rejects.toThrow(
      /`npx @quickquote\/storage-drizzle migrate --schema partner_quotes`/,
    )

    await storage.migrate()
    await storage.requireMigrated()
  })

  it('is named in the error of every call', async () => {
    const lookup = open().apiKeys.findByHash(Buffer.alloc(32))

    await expect(lookup).rejects.toMatchObject({ name: 'StorageError', code: '42P01' })
    await expect(lookup).rejects.toThrow(/storage\.migrate\(\)/)
  })
})

async function contentsWithoutJournal() {
  const objects = await sql`
    select relname, relkind from pg_class where relnamespace = to_regnamespace('quickquote') order by relname`
  return [...objects]
}

async function foreignKeysThatLeave(schema: string) {
  const keys = await sql`
    select conname from pg_constraint
    join pg_class target on target.oid = confrelid
    where contype = 'f' and connamespace = to_regnamespace(${schema}) and target.relnamespace <> connamespace`
  return [...keys]
}
