import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { claimOf } from './support/delivery-samples.ts'
import { MANY_KEYS, sampleApiKey, sampleEndpoint, sampleEvent, sampleSecrets } from './support/samples.ts'

let testing: TestDatabase
let sql: postgres.Sql
let opened: { close(): Promise<void> }[]

beforeEach(async () => {
  testing = await emptyDatabase()
  sql = postgres(testing.url, { max: 2, onnotice() {} })
  opened = []
})

afterEach(async () => {
  for (const each of opened) await each.close()
  await sql.end()
  await testing.drop()
})

function open(schema = 'quickquote', url = testing.url): DrizzleStorage {
  const storage = drizzleStorage({ connectionString: url, schema, maxConnections: 2 })
  opened.push(storage)
  return storage
}

/** Everything that checks the database before using it. */
async function expectRefused(storage: DrizzleStorage, why: RegExp): Promise<void> {
  for (const start of [storage.migrate, storage.requireMigrated, storage.migrationPlan]) {
    await expect(start(), start.name).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(why),
    })
  }
  // The first call of a worker.
  await expect(storage.workers.heartbeat(randomUUID())).rejects.toThrow(why)
}

describe('a renamed SQL schema', () => {
  beforeEach(async () => {
    await open().migrate()
    await sql`alter schema quickquote rename to first`
  })

  it('is refused by migrate and at startup, with instructions, because its functions still use the old name', async () => {
    // Its deliveries are now under the old name.
    const second = open()
    await second.migrate()
    const endpoint = sampleEndpoint()
    await second.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    await second.events.record(sampleEvent({ organization_id: endpoint.organization_id }))

    await expectRefused(open('first'), /"first" was renamed.*"quickquote".*docs\/guides\/database\.md/s)

    expect((await second.deliveries.round(claimOf(randomUUID()))).claimed).toHaveLength(1)
  })

  it('is accepted once renamed back', async () => {
    await sql`alter schema first rename to quickquote`
    await open().requireMigrated()
    await open().migrate()
  })

  it('is accepted once its functions are recreated as the guide says, and is independent of another schema', async () => {
    const second = open()
    await second.migrate()
    const guide = readFileSync(new URL('../../../docs/guides/database.md', import.meta.url), 'utf8')
    const [script = ''] = /do \$\$\n(?:(?!```).)*pg_get_functiondef(?:(?!```).)*/s.exec(guide) ?? []
    await sql.unsafe(script.replaceAll('partner_quotes', 'first'))

    const first = open('first')
    await first.requireMigrated()
    await first.migrate()
    const endpoint = sampleEndpoint()
    for (const storage of [first, second]) {
      await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    }
    const event = sampleEvent({ organization_id: endpoint.organization_id })
    await first.events.record(event)
    await first.retention.removeHistory(new Date(0))
    expect((await second.deliveries.round(claimOf(randomUUID()))).claimed).toEqual([])
    expect((await first.deliveries.round(claimOf(randomUUID()))).claimed).toMatchObject([
      { event_id: event.id },
    ])
  })
})

describe('a database that is not UTF8', () => {
  it.each(['LATIN1', 'SQL_ASCII'])('is refused before anything is created in it (%s)', async (encoding) => {
    const name = `quickquote_test_${randomBytes(6).toString('hex')}`
    const [server] = await sql`select current_setting('server_version_num')::int >= 150000 as has_providers`
    const locale = server?.['has_providers'] ? `locale_provider libc locale 'C'` : `locale 'C'`
    await sql.unsafe(`create database ${name} encoding '${encoding}' ${locale} template template0`)
    const url = new URL(testing.url)
    url.pathname = `/${name}`
    const storage = open('quickquote', url.href)

    await expectRefused(storage, new RegExp(`encoding ${encoding}, but UTF8 is required`))

    const there = postgres(url.href, { max: 1 })
    expect(await there`select from pg_namespace where nspname = 'quickquote'`).toHaveLength(0)
    await there.end()
    await storage.close()
    await sql.unsafe(`drop database ${name} with (force)`)
  })
})

describe('an engine that only resembles PostgreSQL', () => {
  const become = (version: string) =>
    sql.unsafe(
      `create or replace function pg_catalog.version() returns text language sql as $$ select '${version}' $$`,
    )

  it.each([
    ['CockroachDB', 'CockroachDB CCL v22.1.12 (x86_64-pc-linux-gnu, built 2022/12/12 19:53:40, go1.17.11)'],
    [
      'YugabyteDB',
      'PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit',
    ],
    [
      'Amazon Redshift',
      'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.40677',
    ],
    ['Aurora DSQL or Spanner', 'PostgreSQL 16'],
    ['Aurora DSQL or Spanner', 'PostgreSQL 14.1'],
    ['not PostgreSQL', 'CrateDB 5.10.3 (built e185886/NA, Linux 6.12.13, OpenJDK 64-Bit Server VM 23.0.2+7)'],
  ])(
    '(%s) is refused by name before anything is created in it, unless the host insists',
    async (name, version) => {
      await become(version)
      await expectRefused(
        open(),
        new RegExp(`The database is ${name}, according to version.*anyEngine: true`, 's'),
      )
      expect(await sql`select from pg_namespace where nspname = 'quickquote'`).toHaveLength(0)
    },
  )

  it('is used if the host insists', async () => {
    await become('CockroachDB CCL')
    const insisting = drizzleStorage({ connectionString: testing.url, anyEngine: true })
    opened.push(insisting)
    await insisting.migrate()
    await insisting.requireMigrated()
    await insisting.workers.heartbeat(randomUUID())
  })

  it('is not one of PostgreSQL 14 to 18 on any platform', async () => {
    for (const version of [
      'PostgreSQL 14.5 (Debian 14.5-1.pgdg110+1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 10.2.1-6) 10.2.1, 64-bit',
      'PostgreSQL 16.1, compiled by Visual C++ build 1937, 64-bit',
    ]) {
      await become(version)
      await open().migrate()
    }
  })
})

describe('row-level security enabled by a DBA', () => {
  const role = `runtime_${randomBytes(4).toString('hex')}`

  async function asRuntime(): Promise<DrizzleStorage> {
    await open().migrate()
    await sql.unsafe(`create role ${role} login password 'secret'; grant usage on schema quickquote to ${role};
      grant select, insert, update, delete on all tables in schema quickquote to ${role};
      grant execute on all functions in schema quickquote to ${role}`)
    const url = new URL(testing.url)
    url.username = role
    url.password = 'secret'
    return open('quickquote', url.href)
  }

  afterEach(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  })

  it('is reported at startup, with the tables and instructions', async () => {
    const storage = await asRuntime()
    await storage.requireMigrated()
    await sql`alter table quickquote.api_keys enable row level security`
    await sql`alter table quickquote.quotations enable row level security`

    const why =
      /Row-level security hides rows of api_keys, quotations.*disable row level security.*bypassrls/s
    await expect(storage.requireMigrated()).rejects.toMatchObject({ name: 'ConfigurationError' })
    await expect(storage.requireMigrated()).rejects.toThrow(why)
    await expect(storage.workers.heartbeat(randomUUID())).rejects.toThrow(why)
    // Roles that bypass it are not affected.
    await open().requireMigrated()
  })

  it('makes later reads and writes fail with 503, instead of making keys unknown', async () => {
    const storage = await asRuntime()
    await sql`alter table quickquote.api_keys enable row level security`
    for (const call of [
      () => storage.apiKeys.findByHash(randomBytes(32)),
      () => storage.apiKeys.insert(sampleApiKey(), randomBytes(32), MANY_KEYS),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: 'StorageError',
        code: '42501',
        statusCode: 503,
        message: expect.stringMatching(/Row-level security is on for this table: turn it off/),
      })
    }
  })
})

describe('a client of the host', () => {
  it.each(['serializable', 'repeatable read'] as const)(
    'is refused if it begins transactions as %s, with instructions',
    async (isolation) => {
      await open().migrate()
      const client = postgres(testing.url, {
        max: 2,
        connection: { default_transaction_isolation: isolation },
        onnotice() {},
      })
      const storage = drizzleStorage({ sql: client })
      await expectRefused(
        storage,
        new RegExp(`isolation "${isolation}".*default_transaction_isolation: 'read committed'`, 's'),
      )
      await client.end()
    },
  )

  it('may set DateStyle, time zone, bytea_output, array_nulls and search_path', async () => {
    const options =
      '-c DateStyle=SQL,DMY -c TimeZone=Asia/Kolkata -c bytea_output=escape -c array_nulls=off -c search_path=x'
    const url = new URL(testing.url)
    url.searchParams.set('options', options)
    const client = postgres(url.href, { max: 4, onnotice() {} })
    const storage = drizzleStorage({ sql: client })
    await storage.migrate()
    await storage.requireMigrated()
    await storage.workers.heartbeat(randomUUID())
    await client.end()
  })
})
