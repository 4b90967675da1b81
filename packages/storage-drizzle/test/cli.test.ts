import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { freePort, type TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase, lockWaiters, ownsPostgres } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyMigration, createJournal, readMigrations } from '../src/migrations/migrate.ts'
import { callCli, runCli, spawnCli } from './support/cli-process.ts'
import { laterVersion } from './support/later-version.ts'

/** Three migrations, so that there are upgrades. */
const later = await laterVersion()
const { drizzleStorage } = later

let database: TestDatabase
let sql: postgres.Sql

beforeEach(async () => {
  database = await emptyDatabase()
  sql = postgres(database.url, { onnotice() {} })
})

afterEach(async () => {
  await sql.end()
  await database.drop()
})

const cli = (...args: string[]) => callCli(args, database.url, later.main)
const cliProcess = (...args: string[]) => runCli(args, database.url, later.cli)

/** A database as an earlier version of the package left it, with the first `count` migrations. */
async function migrateTo(count: number, schema = 'quickquote'): Promise<void> {
  await sql.unsafe(`create schema "${schema}"; ${createJournal(schema)}`)
  const migrations = (await readMigrations(later.migrations)).slice(0, count)
  for (const migration of [...migrations, ...(await readMigrations()).slice(-1)]) {
    await sql.unsafe(applyMigration(schema, migration))
  }
}

/** Everything in the SQL schema: relations, columns, constraints, indexes, functions, journal. */
async function contents(schema: string) {
  const parts = await Promise.all([
    sql`select relname, relkind from pg_class where relnamespace = to_regnamespace(${schema}) order by 1`,
    sql`select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
        where table_schema = ${schema} order by 1, 2`,
    sql`select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace = to_regnamespace(${schema}) order by 1, 2`,
    sql`select indexname, indexdef from pg_indexes where schemaname = ${schema} order by 1`,
    sql`select pg_get_functiondef(oid), proacl is null as is_public from pg_proc
        where pronamespace = to_regnamespace(${schema}) order by 1`,
    sql`select name, hash from ${sql(schema)}.migrations order by 1`,
  ])
  return parts.map((rows) => [...rows])
}

describe('status', () => {
  it('lists applied and pending migrations, and exits with 1 while any are pending', async () => {
    await migrateTo(2)
    const behind = await cliProcess('status')
    expect(behind).toMatchObject({ exitCode: 1, stderr: '' })
    expect(behind.stdout).toMatch(
      /^applied {2}0001_initial\.sql\napplied {2}0002_labels\.sql\npending {2}0003_regions\.sql\npending {2}functions \w+\n/,
    )
    expect(behind.stdout).toContain('npx @quickquote/storage-drizzle migrate')

    await cli('migrate')
    const upToDate = await cli('status')
    expect(upToDate).toMatchObject({ exitCode: 0, stderr: '' })
    expect(upToDate.stdout).not.toContain('pending')
    expect(upToDate.stdout).toContain('Up to date.')
  })

  it('changes nothing', async () => {
    await cli('status')
    expect(await sql`select from pg_namespace where nspname = 'quickquote'`).toHaveLength(0)
  })
})

describe('migrate', () => {
  it('lists the migrations it applied, and none the second time', async () => {
    await migrateTo(1)
    const functions = (await readMigrations(later.migrations)).at(-1)?.name
    expect(await cliProcess('migrate', '--schema', 'quickquote')).toEqual({
      exitCode: 0,
      stdout: `applied  0002_labels.sql\napplied  0003_regions.sql\napplied  ${functions}\nUp to date.\n`,
      stderr: '',
    })
    expect((await cli('migrate')).stdout).toBe('Up to date.\n')
  })

  it('succeeds in four processes at once, and applies each migration once', async () => {
    // All wait before their first change until every process has started.
    const barrier = await sql.reserve()
    await barrier`begin`
    await barrier`lock table pg_catalog.pg_namespace in share mode`
    const running = Array.from({ length: 4 }, () => cliProcess('migrate'))
    await expect.poll(() => lockWaiters(sql), { timeout: 240_000 }).toBe(4)
    await barrier`rollback`
    barrier.release()
    const results = await Promise.all(running)

    expect(results.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      Array(4).fill({ exitCode: 0, stderr: '' }),
    )
    const names = (await readMigrations(later.migrations)).map(({ name }) => ({ name }))
    expect([...(await sql`select name from quickquote.migrations order by name`)]).toEqual(names)
  })

  it('leaves neither changes nor a lock when its process is killed', async () => {
    await migrateTo(1)
    const before = await contents('quickquote')
    // 0003 alters this table, so the process waits there with 0002 applied.
    const blocker = await sql.reserve()
    await blocker`begin`
    await blocker`lock table quickquote.events in access share mode`
    const { child, result } = spawnCli(['migrate'], database.url, later.cli)
    await expect.poll(() => lockWaiters(sql)).toBe(1)

    child.kill('SIGKILL')
    await result
    await blocker`rollback`
    blocker.release()
    await expect
      .poll(
        () => sql`select from pg_stat_activity where application_name = 'quickquote'
                      and datname = current_database()`,
        { timeout: 60_000 },
      )
      .toHaveLength(0)

    expect(await contents('quickquote')).toEqual(before)
    expect(await cli('migrate')).toMatchObject({ exitCode: 0 })
    expect((await cli('status')).exitCode).toBe(0)
  })
})

describe('plan', () => {
  it.each([0, 1, 2])(
    'prints SQL that does the same as migrate on a database with %i migrations',
    async (count) => {
      if (count > 0) await migrateTo(count)
      const plan = await cli('plan')
      expect(plan).toMatchObject({ exitCode: 0, stderr: '' })
      await applyAsAdministrator(plan.stdout)

      expect((await cli('status')).exitCode).toBe(0)
      const planned = await contents('quickquote')
      await sql`drop schema quickquote cascade`
      if (count > 0) await migrateTo(count)
      await cli('migrate')
      expect(planned).toEqual(await contents('quickquote'))
    },
  )

  it('uses the requested schema', async () => {
    const plan = await cliProcess('plan', '--schema', 'partner_quotes')
    expect(plan.stdout).not.toContain('"quickquote"')
    await applyAsAdministrator(plan.stdout)

    await drizzleStorage({ sql, schema: 'partner_quotes' }).requireMigrated()
    await drizzleStorage({ sql, schema: 'partner_quotes' }).retention.removeHistory(new Date(0))
    expect(await sql`select from pg_namespace where nspname = 'quickquote'`).toHaveLength(0)
  })

  it('changes nothing, and says so if nothing is pending', async () => {
    await cli('plan')
    expect(await sql`select from pg_namespace where nspname = 'quickquote'`).toHaveLength(0)
    await drizzleStorage({ sql }).migrate()
    expect((await cli('plan')).stdout).toBe('-- Nothing is missing.\n')
  })

  it('prints SQL that fails when applied twice, and then changes nothing', async () => {
    const { stdout } = await cli('plan')
    await applyAsAdministrator(stdout)
    const before = await contents('quickquote')

    const administrator = postgres(database.url, { max: 1, onnotice() {} })
    await expect(administrator.unsafe(stdout).simple()).rejects.toMatchObject({ code: '42P06' })
    await administrator.end()
    expect(await contents('quickquote')).toEqual(before)
  })

  /** Uses psql if installed; otherwise sends the script in one go, like other tools. */
  async function applyAsAdministrator(script: string): Promise<void> {
    const { status, error, stderr } = spawnSync(
      'psql',
      ['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--file', '-', database.url],
      { input: script, encoding: 'utf8' },
    )
    if (error === undefined) return expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const administrator = postgres(database.url, { max: 1, onnotice() {} })
    await administrator.unsafe(script).simple()
    await administrator.end()
  }
})

describe('errors', () => {
  const PASSWORD = 'correct-horse-battery'

  it.each([
    ['no DATABASE_URL', undefined, /DATABASE_URL/],
    ['another scheme', `mysql://someone:${PASSWORD}@127.0.0.1/app`, /must have the form postgres:/],
    ['not encoded', `postgres://someone:${PASSWORD}%@127.0.0.1/app`, /percent-encoded/],
    ['another word', PASSWORD, /must have the form postgres:/],
  ])('%s: is reported without the connection string', async (_, url, message) => {
    const result = await callCli(['status'], url)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(message)
    expect(result.stderr).not.toContain(PASSWORD)
  })

  // Another server may let everybody in.
  it.runIf(ownsPostgres)('a wrong password is reported, but not printed', async () => {
    const url = new URL(database.url)
    url.password = PASSWORD
    const result = await runCli(['migrate'], url.href)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(/password authentication failed.*28P01/)
    expect(result.stderr).not.toContain(PASSWORD)
  })

  it('an unreachable server is reported', async () => {
    const url = `postgres://someone:${PASSWORD}@127.0.0.1:${await freePort()}/app`
    const result = await callCli(['status'], url)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain('ECONNREFUSED')
    expect(result.stderr).not.toContain(PASSWORD)
  })

  it('every command refuses a database migrated by a newer version', async () => {
    await drizzleStorage({ sql }).migrate()
    await sql`insert into quickquote.migrations (name, hash) values ('9999_future.sql', '')`
    for (const command of ['status', 'migrate', 'plan']) {
      const result = await cli(command)
      expect(result, command).toMatchObject({ exitCode: 2, stdout: '' })
      expect(result.stderr).toMatch(/9999_future\.sql.*newer version/)
    }
  })

  it('an invalid command line is refused without printing its arguments', async () => {
    const lines = [
      [],
      [`postgres://someone:${PASSWORD}@127.0.0.1/app`],
      ['status', `--url=postgres://someone:${PASSWORD}@127.0.0.1/app`],
      ['constructor'],
      ['status', '--schema', 'public'],
      ['roles', '--owner', 'app', '--runtime', 'app'],
    ]
    for (const args of lines) {
      const result = await cli(...args)
      expect(result, args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' })
      expect(result.stderr).not.toBe('')
      expect(result.stderr).not.toContain(PASSWORD)
    }
  })
})

it('a misspelled command gets a suggestion', async () => {
  const { exitCode, stderr } = await runCli(['migrat'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Exactly one command is required: ')
  expect(stderr).toContain('Did you mean migrate? See --help.')
})

it('--help and --version need no database', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await runCli(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  const help = await runCli(['--help'])
  expect(help.exitCode).toBe(0)
  for (const word of ['status', 'migrate', 'plan', 'roles', 'DATABASE_URL']) {
    expect(help.stdout).toContain(word)
  }
})
