import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate, startConnectProxy } from '@quickquote/dev-servers'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { examine as findingsOf } from '../src/doctor/doctor.ts'
import { FINDINGS, type Finding } from '../src/doctor/finding.ts'
import { type Host, openHost } from './support/host.ts'
import { runCli } from './support/worker-process.ts'

let host: Host

beforeEach(async () => {
  host = await openHost()
})

const wrongOf = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'ok')

/** Runs the doctor like an operator. */
async function run(env: Record<string, string>) {
  const program = runCli(['doctor', 'cli-host.js', '--json'], env)
  const code = await program.exited
  const output = program.lines.join('\n')
  const json = output.slice(output.indexOf('{\n'), output.lastIndexOf('}') + 1)
  const { findings } = JSON.parse(json) as { findings: Finding[] }
  return { code, output, findings }
}

/** What the doctor finds on a machine whose module connects to the database and uses the proxy. */
async function examine({
  databaseUrl = host.databaseUrl,
  proxy,
  ca,
  appUrl,
}: {
  databaseUrl?: string
  proxy?: string
  ca?: string
  appUrl?: string
} = {}) {
  const integrations = integrationsOn(databaseUrl, { egress: { proxy } })
  const { lease, delivery } = integrations.settings
  const worker = { pollIntervalMs: delivery.pollMs, ...lease, ca }
  const findings = await findingsOf({ integrations, worker, appUrl })
  await integrations.close()
  return { findings, wrong: wrongOf(findings) }
}

const codesOf = (findings: readonly Finding[]) => findings.map(({ code }) => code)

/** Every row and every object of the database. */
async function everything(): Promise<unknown> {
  const { sql } = host
  const objects = await sql`select relname, relkind, relacl::text from pg_class
    where relnamespace = 'quickquote'::regnamespace order by relname`
  const tables = objects.filter(({ relkind }) => relkind === 'r' || relkind === 'p')
  const rows = await Promise.all(
    tables.map(
      ({ relname }) => sql`select to_jsonb(t)::text as row from quickquote.${sql(relname)} t order by 1`,
    ),
  )
  const [sequence] = await sql`select last_value, is_called from quickquote.feed_positions`
  return JSON.stringify([objects, rows, sequence])
}

async function certificateFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'ca.pem')
  await writeFile(file, (await createCertificate(new Date())).cert)
  return file
}

describe('doctor', () => {
  it('finds no problem in a healthy installation, and changes nothing', async () => {
    await host.createEndpoint('https://receiver.example/')
    // No real worker, because it would change rows itself.
    await host.sql`insert into quickquote.workers (id, heartbeat_at) values (gen_random_uuid(), now())`
    const before = await everything()
    const { code, findings } = await run({
      DATABASE_URL: host.databaseUrl,
      QUICKQUOTE_CA_FILE: await certificateFile(),
    })
    expect(codesOf(findings)).toEqual([
      'DATABASE_ANSWERS',
      'CLOCK_RIGHT',
      'MIGRATED',
      'GRANTS_SUFFICE',
      'KEYS_FIT',
      'WORKERS_ALIVE',
      'QUEUE_DRAINED',
      'NOTIFICATIONS_ARRIVE',
      'HISTORY_KEPT',
      'CERTIFICATES_READ',
    ])
    expect(code).toBe(0)
    expect(await everything()).toBe(before)
  })

  it('prints a line for each finding', async () => {
    const program = runCli(['doctor', 'cli-host.js'], { DATABASE_URL: host.databaseUrl })
    expect(await program.exited).toBe(1)
    expect(program.lines).toContain('ok       All migrations are applied.')
    expect(program.lines.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(/^error {4}No worker is running, so no webhook is sent .* Start one/),
    ])
  })

  it('reports an unreachable database, without its password', async () => {
    const { code, output, findings } = await run({
      DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/none',
    })
    expect({ code, codes: codesOf(findings) }).toEqual({ code: 1, codes: ['DATABASE_UNREACHABLE'] })
    expect(output).toContain('ECONNREFUSED')
    expect(output).not.toContain('sesame')
  })

  it('examines each of several databases, also while one is away', async () => {
    await host.sql`insert into quickquote.workers (id, heartbeat_at) values (gen_random_uuid(), now())`
    const { code, findings } = await run({
      DATABASE_URL: `postgres://user:sesame@127.0.0.1:1/none ${host.databaseUrl}`,
    })
    expect({ code, wrong: wrongOf(findings) }).toMatchObject({
      code: 1,
      wrong: [{ database: 1, code: 'DATABASE_UNREACHABLE' }],
    })
    expect(findings).toContainEqual(expect.objectContaining({ database: 2, code: 'KEYS_FIT' }))
  })

  it('names an engine that only resembles PostgreSQL', async () => {
    await host.sql.unsafe(
      `create or replace function pg_catalog.version() returns text language sql as $$ select 'CockroachDB CCL' $$`,
    )
    const { wrong } = await examine()
    expect(wrong).toMatchObject([
      { code: 'DATABASE_UNFIT', message: expect.stringContaining('The database is CockroachDB') },
    ])
  })

  it('reports a database without migrations, and does not migrate it', async () => {
    const database = await emptyDatabase()
    onTestFinished(() => database.drop())
    const { wrong } = await examine({ databaseUrl: database.url })
    expect(codesOf(wrong)).toEqual(['MIGRATIONS_MISSING'])
    const storage = drizzleStorage({ connectionString: database.url })
    onTestFinished(() => storage.close())
    expect((await storage.migrationStatus()).applied).toEqual([])
  })

  it('names missing and changed encryption keys', async () => {
    const [missing, wrong] = [
      await host.createEndpoint('https://receiver.example/a'),
      await host.createEndpoint('https://receiver.example/b'),
    ]
    await host.sql`update quickquote.webhook_endpoints set secret_key_id = '2019' where id = ${missing.id}`
    await host.sql`update quickquote.webhook_endpoints set secret_ciphertext = overlay(secret_ciphertext placing '\\x00'::bytea from 30)
      where id = ${wrong.id}`
    const { findings } = await examine()
    const keys = findings.filter(({ code }) => code.startsWith('KEY'))
    expect(codesOf(keys)).toEqual(['KEY_MISSING', 'KEY_WRONG'])
    expect(keys.map(({ message }) => message)).toEqual([
      expect.stringContaining('"2019" is missing, and 1 signing secrets need it. Add it back'),
      expect.stringContaining('"test" has changed, so 1 signing secrets cannot be decrypted'),
    ])
  })

  it('reports positions of the feed behind stored events, as after a move without the sequence', async () => {
    const host = await openHost()
    await host.finishStep()
    await host.sql`alter sequence quickquote.feed_positions restart`
    expect(codesOf((await examine({ databaseUrl: host.databaseUrl })).findings)).toContain('FEED_BEHIND')
    await host.integrations.repairFeed()
    expect(codesOf((await examine({ databaseUrl: host.databaseUrl })).findings)).not.toContain('FEED_BEHIND')
  })

  it('reports silent workers and a queue that waits', async () => {
    await host.createEndpoint('https://receiver.example/')
    await host.finishStep()
    const { sql } = host
    await sql`update quickquote.deliveries set due_at = now() - interval '10 minutes'`
    await sql`insert into quickquote.workers (id, heartbeat_at) values
      (gen_random_uuid(), now()), (gen_random_uuid(), now() - interval '1 hour')`
    const { wrong } = await examine()
    expect(codesOf(wrong)).toEqual(['WORKERS_SILENT', 'QUEUE_WAITS'])
    expect(wrong[1]?.message).toMatch(/^1 deliveries are due, the oldest for 6\d\d s\. /)
  })

  it('reports an erasing that has long waited for a transaction', async () => {
    const { sql, integrations } = host
    const organization = '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a'
    await sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select from quickquote.quotations`
      await integrations.organizations.erase(organization)
      while (await integrations.continueErasing()) {}
      expect(codesOf((await examine()).findings)).not.toContain('ERASING_WAITS')
      await sql`update quickquote.erased_organizations set finished_at = now() - interval '61 minutes'`
      expect(codesOf((await examine()).findings)).toContain('ERASING_WAITS')
    })
  })

  it('reports certificates that have expired or will soon', async () => {
    const [old, ageing] = [await createCertificate(new Date(0)), await createCertificate(new Date())]
    const { wrong } = await examine({ ca: old.cert })
    expect(codesOf(wrong)).toEqual(['NO_WORKER', 'CERTIFICATE_EXPIRED'])
    expect(wrong[1]?.message).toContain('expired on 197')
    const ca = `${ageing.cert}\n-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n${old.cert}`
    expect(codesOf((await examine({ ca })).wrong)).toEqual([
      'NO_WORKER',
      'CERTIFICATE_UNREADABLE',
      'CERTIFICATE_EXPIRED',
    ])
  })

  it.each([
    [3_600_000, 'CLOCK_WRONG', 'ahead of'],
    [-86_400_000, 'CLOCK_WRONG', 'behind'],
    [7000, 'CLOCK_OFF', 'ahead of'],
  ])('reports a clock that was moved by %d ms', async (aheadMs, code, direction) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs })
    onTestFinished(() => void vi.useRealTimers())
    const { wrong } = await examine()
    expect(codesOf(wrong)).toEqual(expect.arrayContaining([code]))
    expect(wrong.find((each) => each.code === code)?.message).toMatch(
      new RegExp(`^The clock of this machine is \\d+ s ${direction} the database.* Correct it \\(NTP\\)`),
    )
  })

  it('names missing rights, and runs the other checks with a read-only role', async () => {
    const { sql } = host
    const role = `reader_${randomBytes(4).toString('hex')}`
    await sql.unsafe(`create role ${role} login password 'sesame';
      grant usage on schema quickquote to ${role};
      grant select on all tables in schema quickquote to ${role}`)
    const url = new URL(host.databaseUrl)
    url.username = role
    url.password = 'sesame'
    const before = await everything()
    const { wrong, findings } = await examine({ databaseUrl: url.href })
    expect(codesOf(wrong)).toEqual(['GRANTS_MISSING', 'NO_WORKER'])
    expect(wrong[0]?.message).toContain(`The role "${role}" lacks rights (`)
    expect(wrong[0]?.message).toContain('insert on deliveries')
    expect(wrong[0]?.message).not.toContain('update on events')
    expect(codesOf(findings)).toContain('NOTIFICATIONS_ARRIVE')
    expect(await everything()).toBe(before)

    await sql.unsafe(`revoke all on schema quickquote from ${role}`)
    const { wrong: blind } = await examine({ databaseUrl: url.href })
    expect(codesOf(blind)).toEqual(['GRANTS_MISSING'])
    expect(blind[0]?.message).toContain('usage on the schema')
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  })

  it('queries the proxy, and reports if it does not respond or refuses the credentials', async () => {
    const proxy = await startConnectProxy({ credentials: 'quotes:open-sesame' })
    onTestFinished(() => proxy.stop())
    const well = await examine({ proxy: proxy.url })
    expect(codesOf(well.findings)).toContain('PROXY_ANSWERS')
    expect(codesOf(well.wrong)).toEqual(['NO_WORKER'])

    const changed = await examine({ proxy: proxy.url.replace('quotes:', 'others:') })
    expect(codesOf(changed.wrong)).toEqual(['NO_WORKER', 'PROXY_CREDENTIALS'])
    expect(JSON.stringify(changed.findings)).not.toContain('open-sesame')

    const { wrong } = await examine({ proxy: 'http://127.0.0.1:1' })
    expect(codesOf(wrong)).toEqual(['NO_WORKER', 'PROXY_UNREACHABLE'])
    expect(wrong[1]?.message).toContain('(proxy_unreachable), so no webhook is sent. Check `egress.proxy`')
  })

  it('calls a running app, and reports if it cannot be reached', async () => {
    const { wrong } = await examine({ appUrl: 'http://127.0.0.1:1' })
    expect(codesOf(wrong)).toEqual(['NO_WORKER', 'APP_UNREACHABLE'])
  })

  it.each([
    [['doctor', 'cli-host.js', '--url', 'sesame'], '--url needs an address'],
    [['cli-host.js', '--json'], 'are options of doctor'],
    [['doctor', 'absent.js'], 'Module not found'],
  ])('refuses the arguments %j', async (args, problem) => {
    const program = runCli(args)
    expect(await program.exited).toBe(2)
    expect(program.lines.join('\n')).toContain(problem)
  })
})

it('the page "What the doctor finds" has every finding of the doctor, word for word', async () => {
  const page = await readFile(new URL('../../../docs/reference/doctor.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (error|warning) \| (.*) \|$/gm)]
  const documented = rows.map(([, code, level, message]) => [code, level, message])
  const sentences = Object.entries(FINDINGS)
    .filter(([, [level]]) => level !== 'ok')
    .map(([code, [level, message]]) => [code, level, message])
  expect(documented).toEqual(sentences)
})

it('every finding has a sentence for the problem and one for the solution', () => {
  for (const [code, [level, message]] of Object.entries(FINDINGS)) {
    expect(code).toMatch(/^[A-Z_]+$/)
    if (level !== 'ok' && code !== 'DATABASE_UNFIT') expect(message).toMatch(/^[A-Z{].*[.}] [A-Z].*\.$/)
  }
})
