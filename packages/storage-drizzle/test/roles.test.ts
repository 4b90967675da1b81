import { randomBytes, randomUUID } from 'node:crypto'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { rolesSql } from '../src/migrations/roles.ts'
import { callCli } from './cli-process.ts'
import { sampleAuditEntry, sampleEvent } from './samples.ts'

const PASSWORD = 'secret'

let database: TestDatabase
let admin: postgres.Sql
let owner: string
let runtime: string
let opened: { close(): Promise<void> }[]

beforeEach(async () => {
  database = await emptyDatabase()
  // Scripts contain their own transaction, so they need one connection.
  admin = postgres(database.url, { max: 1, onnotice() {} })
  // Roles belong to the whole server, which other tests share.
  const suffix = randomBytes(4).toString('hex')
  owner = `owner_${suffix}`
  runtime = `runtime-${suffix}`
  opened = []
})

afterEach(async () => {
  for (const each of opened) await each.close()
  await admin.end()
  await database.drop()
  const server = postgres(inject('postgresUrl'), { onnotice() {} })
  for (const role of [owner, runtime]) await server`drop role if exists ${server(role)}`
  await server.end()
})

/** As in the guide: the command's SQL, then passwords. */
async function createRoles(): Promise<void> {
  const { stdout, exitCode } = await callCli(['roles', '--owner', owner, '--runtime', runtime])
  expect(exitCode).toBe(0)
  await admin.unsafe(stdout).simple()
  for (const role of [owner, runtime]) {
    await admin.unsafe(`alter role "${role}" password '${PASSWORD}'`)
  }
}

function urlOf(role: string): string {
  const url = new URL(database.url)
  url.username = role
  url.password = PASSWORD
  return url.href
}

function storageAs(role: string): DrizzleStorage {
  const storage = drizzleStorage({ connectionString: urlOf(role), maxConnections: 2 })
  opened.push(storage)
  return storage
}

function clientAs(role: string): postgres.Sql {
  const sql = postgres(urlOf(role), { max: 1, onnotice() {} })
  opened.push({ close: () => sql.end() })
  return sql
}

async function owners(): Promise<string[]> {
  const rows = await admin<{ owner: string }[]>`
    select nspowner::regrole::text as owner from pg_namespace where nspname = 'quickquote'
    union select relowner::regrole::text from pg_class where relnamespace = to_regnamespace('quickquote')
    union select proowner::regrole::text from pg_proc where pronamespace = to_regnamespace('quickquote')`
  return rows.map((row) => row.owner.replaceAll('"', ''))
}

describe('the owner', () => {
  it('migrates without any right on the database, and owns everything', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    expect(await owners()).toEqual([owner])
    const [right] = await admin`
      select has_database_privilege(${owner}, current_database(), 'create') as has_create`
    expect(right).toEqual({ has_create: false })
  })

  it('also owns what an administrator migrates', async () => {
    await createRoles()
    await drizzleStorage({ sql: admin }).migrate()
    expect(await owners()).toEqual([owner])
  })

  it('also owns what an administrator applies from a plan', async () => {
    await createRoles()
    const { stdout } = await callCli(['plan'], urlOf(runtime))
    await admin.unsafe(stdout).simple()
    expect(await owners()).toEqual([owner])
  })

  it('takes over tables created before the roles', async () => {
    await drizzleStorage({ sql: admin }).migrate()
    await createRoles()
    expect(await owners()).toEqual([owner])
    await createRoles()

    await storageAs(owner).migrate()
    await storageAs(runtime).retention.ensurePartitions()
  })

  it('can be created without a superuser', async () => {
    const creator = `creator_${owner}`
    await admin.unsafe(`create role "${creator}" login createrole password '${PASSWORD}';
      grant create on database "${new URL(database.url).pathname.slice(1)}" to "${creator}"`)
    const sql = clientAs(creator)
    await sql.unsafe(rolesSql({ schema: 'quickquote', owner, runtime })).simple()
    await sql.unsafe(rolesSql({ schema: 'quickquote', owner, runtime })).simple()
    await admin.unsafe(`alter role "${runtime}" password '${PASSWORD}'`)

    // As a member of the owner, it can migrate.
    await drizzleStorage({ sql }).migrate()
    expect(await owners()).toEqual([owner])
    await storageAs(runtime).requireMigrated()

    await sql.end()
    await admin.unsafe(`drop owned by "${creator}"; drop owned by "${owner}" cascade`)
    await admin.unsafe(
      `drop owned by "${runtime}"; drop role "${owner}", "${runtime}"; drop role "${creator}"`,
    )
  })
})

describe('the runtime role', () => {
  it('drops expired days, which belong to the owner, but no other table of the owner', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const sql = clientAs(owner)
    await sql`create table quickquote.events_old partition of quickquote.events for values from ('2020-01-01') to ('2020-01-02')`
    const storage = storageAs(runtime)
    const dropped = await storage.retention.dropHistory(new Date('2020-01-02T00:00:00Z'))
    expect(dropped).toEqual({ days: 1, rows: 0, isBlocked: false, isKept: false })
    const drop = clientAs(
      runtime,
    )`select quickquote.drop_expired_day('quotations', now(), gen_random_uuid()) as outcome`
    expect(await drop).toEqual([{ outcome: 'none' }])
  })

  it('erases history only of an organization being erased', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const storage = storageAs(runtime)
    const [event, other] = [sampleEvent(), sampleEvent()]
    for (const each of [event, other]) await storage.events.record(each)
    const organizationId = event.organization_id
    const entry = sampleAuditEntry({ organization_id: organizationId })
    await storage.erasure.begin(organizationId, { keepAuditLog: false, entry, now: new Date() })
    expect(await storage.erasure.removeRows(organizationId, 10)).toBe(2)
    expect(await storage.erasure.removeAuditLog(organizationId, 10)).toBe(1)
    await storage.erasure.setLeftToHost(organizationId, [])
    await expect
      .poll(async () => {
        await storage.erasure.look(organizationId)
        return storage.erasure.find(organizationId)
      })
      .toMatchObject({ status: 'erased', removed: { events: 1, audit_log: 1 } })

    const sql = clientAs(runtime)
    const erase = (id: string) =>
      sql`select quickquote.erase_history_of_organization(${id}, 'events', 10) as removed`
    expect(await erase(other.organization_id)).toEqual([{ removed: 0 }])
    expect(await sql`select id from quickquote.events`).toEqual([{ id: other.id }])
    const forbidden = { code: '42501' }
    await expect(sql`delete from quickquote.erased_organizations`).rejects.toMatchObject(forbidden)
    await expect(sql`update quickquote.events set body = ''`).rejects.toMatchObject(forbidden)
  })

  describe('and history', () => {
    const DAY_MS = 24 * 60 * 60 * 1000
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

    /** An id as created at that time. */
    function idOf(at: Date): string {
      const time = at.getTime().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
    }

    /** Creates an event, an attempt and an audit log entry from then, and one of each from now. */
    async function happened(days: number): Promise<void> {
      const sql = clientAs(owner)
      for (const at of [daysAgo(days), new Date()]) {
        const { organization_id } = sampleEvent()
        const id = idOf(at)
        await sql`insert into quickquote.events (id, organization_id, type, body, created_at)
          values (${id}, ${organization_id}, 'quotation.completed', '{}', ${at})`
        await sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
            event_type, attempt, status, is_test, created_at)
          values (${id}, ${id}, ${organization_id}, ${id}, ${id}, 'quotation.completed', 1, 'succeeded', false, ${at})`
        await sql`insert into quickquote.audit_log (id, organization_id, action, resource_type, resource_id,
            resource_name, changes, created_at)
          values (${id}, ${organization_id}, 'api_key.created', 'api_key', ${id}, 'CRM', '[]', ${at})`
      }
    }

    async function left(): Promise<number[]> {
      const tables = ['events', 'delivery_attempts', 'audit_log']
      const counts = tables.map((name) => admin`select count(*)::int as n from quickquote.${admin(name)}`)
      return (await Promise.all(counts)).map(([row]) => row?.['n'])
    }

    it('cannot change or delete it, through tables or partitions', async () => {
      await createRoles()
      await storageAs(owner).migrate()
      // Partitions created later have the same rights.
      await clientAs(owner).unsafe(
        `drop table quickquote.events_${new Date().toISOString().slice(0, 10).replaceAll('-', '_')}`,
      )
      await storageAs(runtime).retention.ensurePartitions()
      await happened(1)
      const partitions = await admin<{ name: string }[]>`
        select inhrelid::regclass::text as name from pg_inherits
        where inhparent in ('quickquote.events'::regclass, 'quickquote.delivery_attempts'::regclass)
          and inhrelid::regclass::text not like '%pkey' and inhrelid::regclass::text not like '%idx%'`
      const tables = ['events', 'delivery_attempts', 'audit_log'].map((name) => `quickquote.${name}`)
      const sql = clientAs(runtime)
      for (const table of [...tables, ...partitions.map(({ name }) => name)]) {
        for (const statement of [
          `delete from ${table}`,
          `update ${table} set created_at = now() - interval '1 day'`,
          `truncate ${table}`,
        ]) {
          await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
        }
      }
      expect(partitions.length).toBeGreaterThanOrEqual(16)
      expect(await left()).toEqual([2, 2, 2])
    })

    it('removes nothing younger than the floor, and cannot change the floor', async () => {
      await createRoles()
      await storageAs(owner).migrate()
      await happened(29)
      const sql = clientAs(runtime)
      const ahead = daysAgo(-400)
      const ask = async () => {
        const storage = storageAs(runtime)
        const dropped = await storage.retention.dropHistory(ahead)
        await storage.retention.removeAuditEntries(ahead, 1000)
        return dropped
      }
      expect(await ask()).toEqual({ days: 0, rows: 0, isBlocked: false, isKept: true })
      expect(await left()).toEqual([2, 2, 2])
      for (const statement of [
        'update quickquote.retention_floor set event_days = 2',
        'delete from quickquote.retention_floor',
        'insert into quickquote.retention_floor (is_only) values (true)',
      ]) {
        await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
      }

      await clientAs(owner)`update quickquote.retention_floor set event_days = 7, audit_days = 20`
      expect(await ask()).toMatchObject({ rows: 2, isKept: true })
      expect(await left()).toEqual([1, 1, 1])

      // Without a floor, everything is kept.
      await clientAs(owner)`delete from quickquote.retention_floor`
      await happened(100)
      expect(await ask()).toMatchObject({ days: 0, rows: 0, isKept: true })
      expect(await left()).toEqual([3, 3, 3])
    })

    it('is restricted even if the roles were created after the tables', async () => {
      await drizzleStorage({ sql: admin }).migrate()
      await createRoles()
      const sql = clientAs(runtime)
      for (const table of ['audit_log', 'events', 'events_default', 'delivery_attempts_default']) {
        const attempt = sql.unsafe(`delete from quickquote.${table}`)
        await expect(attempt, table).rejects.toMatchObject({ code: '42501' })
      }
    })
  })

  it('finds the database migrated, and creates partitions', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const storage = storageAs(runtime)
    await storage.requireMigrated()
    // A host that calls migrate() at startup has nothing to do.
    await storage.migrate()

    const [today] = await admin`select to_char(now() at time zone 'utc', 'YYYY_MM_DD') as day`
    await admin.unsafe(`drop table quickquote.events_${today?.['day']}`)
    await storage.events.record(sampleEvent())
    await storage.retention.ensurePartitions()
    const rows = await admin`select tableoid::regclass::text as partition from quickquote.events`
    expect([...rows]).toEqual([{ partition: `quickquote.events_${today?.['day']}` }])
    expect(await owners()).toEqual([owner])
  })

  it('cannot migrate', async () => {
    await createRoles()
    await expect(storageAs(runtime).migrate()).rejects.toMatchObject({ name: 'StorageError', code: '42501' })
  })

  it('has no attribute, and no right beyond rows and functions', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const [role] = await admin`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        has_database_privilege(oid, current_database(), 'create') as creates_in_database,
        has_schema_privilege(oid, 'quickquote', 'create') as creates_in_schema
      from pg_roles where rolname = ${runtime}`
    expect(Object.values(role ?? {})).toEqual(Array(7).fill(false))
    const rights = await admin`
      select distinct privilege_type from pg_class, aclexplode(relacl)
      where grantee = ${`"${runtime}"`}::regrole order by 1`
    expect(rights.map((row) => row['privilege_type'])).toEqual([
      'DELETE',
      'INSERT',
      'SELECT',
      'UPDATE',
      'USAGE',
    ])
    // Other roles have none.
    const others = await admin`
      select from pg_proc, aclexplode(proacl) where proname = 'make_partitions' and grantee = 0`
    expect(others).toHaveLength(0)
  })

  it('cannot change tables, functions or the journal, or act as another role', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const sql = clientAs(runtime)
    const statements = [
      'create table quickquote.mine (id int)',
      'create schema mine',
      'drop table quickquote.events_default',
      'alter table quickquote.deliveries add column mine int',
      'truncate quickquote.deliveries',
      'alter table quickquote.events detach partition quickquote.events_default',
      'create or replace function quickquote.make_partitions() returns void language sql as $$select$$',
      `insert into quickquote.migrations (name, hash) values ('9999', '')`,
      `update quickquote.migrations set hash = ''`,
      'delete from quickquote.migrations',
      'create trigger mine before insert on quickquote.deliveries execute function now()',
      'set role postgres',
    ]
    for (const statement of statements) {
      await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('cannot subvert the function through its own names or settings', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const sql = clientAs(runtime)
    await sql.unsafe(`create temp table pg_namespace (oid oid, nspname name, nspowner oid);
      create function pg_temp.to_regclass(text) returns regclass language sql as 'select null::regclass';
      create function pg_temp.to_char(timestamp, text) returns text language sql as $$select '_mine'$$;
      set search_path = pg_temp, quickquote; set datestyle = 'German'; set timezone = 'Pacific/Kiritimati'`)
    const before = await admin`select count(*) from pg_class where relnamespace = 'quickquote'::regnamespace`
    await sql`select quickquote.make_partitions()`
    const after = await admin`select count(*) from pg_class where relnamespace = 'quickquote'::regnamespace`
    expect([...after]).toEqual([...before])
  })
})
