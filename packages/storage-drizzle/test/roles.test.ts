import { randomBytes, randomUUID } from 'node:crypto'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { rolesSql } from '../src/migrations/roles.ts'
import { callCli } from './support/cli-process.ts'
import { sampleAuditEntry, sampleEvent } from './support/samples.ts'

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
    await storageAs(runtime).retention.removeHistory(new Date(0))
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
  it('removes expired history, and nothing else', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    await clientAs(owner)`insert into quickquote.events (id, organization_id, type, body, created_at)
      values (gen_random_uuid(), gen_random_uuid(), 'quotation.completed', '{}', '2020-01-01')`
    const storage = storageAs(runtime)
    const removed = await storage.retention.removeHistory(new Date('2020-01-02T00:00:00Z'))
    expect(removed).toEqual({ events: 1, attempts: 0, isKept: false })
    const sql = clientAs(runtime)
    expect(await sql`select removed from quickquote.remove_expired_rows('quotations', now(), 10)`).toEqual([
      { removed: 0 },
    ])
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
        await storage.erasure.finish(organizationId)
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

    it('cannot change or delete it', async () => {
      await createRoles()
      await storageAs(owner).migrate()
      await happened(1)
      const sql = clientAs(runtime)
      for (const table of ['events', 'delivery_attempts', 'audit_log'].map((name) => `quickquote.${name}`)) {
        for (const statement of [
          `delete from ${table}`,
          `update ${table} set created_at = now() - interval '1 day'`,
          `truncate ${table}`,
        ]) {
          await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
        }
      }
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
        const dropped = await storage.retention.removeHistory(ahead)
        await storage.retention.removeAuditEntries(ahead, 1000)
        return dropped
      }
      expect(await ask()).toEqual({ events: 0, attempts: 0, isKept: true })
      expect(await left()).toEqual([2, 2, 2])
      for (const statement of [
        'update quickquote.retention_floor set event_days = 2',
        'delete from quickquote.retention_floor',
        'insert into quickquote.retention_floor (is_only) values (true)',
      ]) {
        await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
      }

      await clientAs(owner)`update quickquote.retention_floor set event_days = 7, audit_days = 20`
      expect(await ask()).toMatchObject({ events: 1, attempts: 1, isKept: true })
      expect(await left()).toEqual([1, 1, 1])

      // Without a floor, everything is kept.
      await clientAs(owner)`delete from quickquote.retention_floor`
      await happened(100)
      expect(await ask()).toMatchObject({ events: 0, attempts: 0, isKept: true })
      expect(await left()).toEqual([3, 3, 3])
    })

    it('is restricted even if the roles were created after the tables', async () => {
      await drizzleStorage({ sql: admin }).migrate()
      await createRoles()
      const sql = clientAs(runtime)
      for (const table of ['audit_log', 'events', 'delivery_attempts']) {
        const attempt = sql.unsafe(`delete from quickquote.${table}`)
        await expect(attempt, table).rejects.toMatchObject({ code: '42501' })
      }
    })
  })

  it('finds the database migrated', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const storage = storageAs(runtime)
    await storage.requireMigrated()
    // A host that calls migrate() at startup has nothing to do.
    await storage.migrate()
    await storage.events.record(sampleEvent())
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
      select from pg_proc, aclexplode(proacl) where proname = 'remove_expired_rows' and grantee = 0`
    expect(others).toHaveLength(0)
  })

  it('cannot change tables, functions or the journal, or act as another role', async () => {
    await createRoles()
    await storageAs(owner).migrate()
    const sql = clientAs(runtime)
    const statements = [
      'create table quickquote.mine (id int)',
      'create schema mine',
      'drop table quickquote.events',
      'alter table quickquote.deliveries add column mine int',
      'truncate quickquote.deliveries',
      'create or replace function quickquote.keep_event(event uuid) returns boolean language sql as $$select true$$',
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
    await clientAs(owner)`insert into quickquote.events (id, organization_id, type, body, created_at)
      values (gen_random_uuid(), gen_random_uuid(), 'quotation.completed', '{}', now() - interval '3 days')`
    await sql.unsafe(`create temp table pg_namespace (oid oid, nspname name, nspowner oid);
      create temp table retention_floor (event_days int, audit_days int);
      create function pg_temp.now() returns timestamptz language sql as $$select timestamptz '2999-01-01'$$;
      create function pg_temp.history_floor(int) returns timestamptz language sql as $$select timestamptz '2999-01-01'$$;
      set search_path = pg_temp, quickquote; set datestyle = 'German'; set timezone = 'Pacific/Kiritimati'`)
    expect(await sql`select * from quickquote.remove_expired_rows('events', '2999-01-01', 10)`).toEqual([
      { removed: 0, is_kept: true },
    ])
    expect(await admin`select from quickquote.events`).toHaveLength(1)
  })
})
