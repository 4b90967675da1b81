import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import { ConfigurationError, STEPS } from '@quickquote/core'
import { hasPgBouncer, startPgBouncer } from '@quickquote/dev-servers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect } from 'kysely'
import postgres from 'postgres'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { ADAPTERS } from '../src/connection/adapters.ts'
import { type DrizzleStorage, drizzleStorage, type HostTransaction } from '../src/index.ts'
import type { OtherTransaction } from './support/documented.ts'
import { HOSTS, openPgPool } from './support/hosts.ts'
import { BODY, useTransactions } from './support/transaction-samples.ts'

const context = useTransactions()

/** In place, which moves the columns. */
function camelized(row: Record<string, unknown>): Record<string, unknown> {
  for (const column of Object.keys(row)) {
    const camel = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (camel === column) continue
    row[camel] = row[column]
    delete row[column]
  }
  return row
}

function replaced(row: Record<string, unknown>, by: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, by(value)]))
}

context.describeWithin(HOSTS)

describe('within', () => {
  it('refuses anything but a transaction, because it could not be rolled back', async () => {
    const pool = openPgPool(context.url)
    const reserved = await context.sql.reserve()
    const strangers = {
      'a postgres.js client': context.sql,
      'a reserved connection': reserved,
      'a drizzle database on postgres.js': drizzleOnPostgresJs(postgres(context.url)),
      'a drizzle database on node-postgres': drizzleOnPg(pool),
      'a pool': pool,
      nothing: undefined,
      'an object': {},
      'a string': 'begin',
    }
    for (const [name, stranger] of Object.entries(strangers)) {
      expect(() => context.integrations.within(stranger), name).toThrow(ConfigurationError)
    }
    reserved.release()
    await pool.end()
  })

  it('suggests the adapter for a known client', async () => {
    const pool = openPgPool(context.url)
    const client = await pool.connect()
    const onPg = `client = await pool.connect() and client.query('begin')`
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const strangers: [unknown, string][] = [
      [client, onPg],
      [pool, onPg],
      [kysely, 'For Kysely, in db.transaction().execute(async (trx) => …): { runInTransaction: '],
    ]
    for (const [stranger, hint] of strangers)
      expect(() => context.integrations.within(stranger)).toThrow(hint)
    client.release()
    await pool.end()
  })

  it('the README has the line of each client', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const lines = ADAPTERS.map(
      ({ client, tested, where, adapter }) =>
        `// ${client} (${tested}): ${where}\nintegrations.within(${adapter})`,
    )
    expect(readme).toContain(`\n\n${lines.join('\n')}\n\`\`\`\n`)
  })

  it('the versions in the README are those of the tests', () => {
    const files = [
      '../package.json',
      'support/orms.ts',
      'support/prisma.ts',
      '../../test-kit/test/pglite.slow.test.ts',
    ]
    const texts = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join()
    for (const { client, tested } of ADAPTERS) {
      for (const version of tested.split(', ')) {
        expect(texts, `${client} ${version}`).toMatch(new RegExp(`['@^]${version.replace('.', '[.]')}[.]`))
      }
    }
  })

  describe('a client that changes results', () => {
    /** A key that was created outside, read through a client with a hook. */
    async function read(hook: (row: Record<string, unknown>) => Record<string, unknown>) {
      const member = adminOf(randomUUID())
      const soon = new Date(Date.now() + 60_000).toISOString()
      const { id } = await context.integrations.apiKeys.create(member, { name: 'my key', expires_at: soon })
      const pool = openPgPool(context.url)
      const client = await pool.connect()
      await client.query('begin')
      const within = context.integrations.within({
        runInTransaction: async (text: string, values: unknown[]) =>
          (await client.query<Record<string, unknown>>(text, values)).rows.map((row) => hook(row)),
      })
      const [seen, { items }] = [
        await within.apiKeys.get(member, id).catch((error) => error),
        await context.integrations.apiKeys.list(member),
      ]
      await client.query('commit')
      client.release()
      await pool.end()
      return { seen, key: items[0] }
    }
    const renamed = (name: (column: string) => string) => (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [name(column), value]))

    it.each<[string, (row: Record<string, unknown>) => Record<string, unknown>]>([
      ['names to camel case, in another order, as pg-promise’s recipe does', camelized],
      ['names to upper case', renamed((column) => column.toUpperCase())],
      ['the order of columns', (row) => Object.fromEntries(Object.entries(row).reverse())],
      ['nulls to undefined', (row) => replaced(row, (value) => value ?? undefined)],
    ])('%s, is read by the names of the columns', async (_, hook) => {
      const { seen, key } = await read(hook)
      expect(seen).toEqual(key)
    })

    it.each<[string, string, (row: Record<string, unknown>) => Record<string, unknown>]>([
      ['leaves a column out', 'a row without the column owner_id', ({ owner_id: _, ...row }) => row],
      [
        'returns rows as arrays',
        'a row without the column id',
        (row) => Object.values(row) as unknown as Record<string, unknown>,
      ],
      [
        'parses texts',
        'changed the column name: PostgreSQL sent text, it returned object',
        (row) => ({ ...row, name: {} }),
      ],
    ])('that %s, is refused with the column', async (_what, message, hook) => {
      const { seen } = await read(hook)
      expect(seen).toBeInstanceOf(ConfigurationError)
      expect(seen.message).toContain(message)
    })
  })

  it('leaves no half of a report, whenever the host’s transaction ends', async () => {
    const organizationId = randomUUID()
    await context.integrations.webhookEndpoints.create(adminOf(organizationId), {
      name: 'CRM',
      url: 'https://receiver.example/hook',
      events: ['quotation.requirement_analysis.completed'],
    })
    const pool = openPgPool(context.url)
    const seen = new Set<string>()
    let statements = 0
    for (let last = 1; last === 1 || statements >= last - 1; last += 1) {
      const start = { organizationId, source: 'api_key', body: BODY } as const
      const { quotation_id } = await context.integrations.quotations.start(start)
      const client = await pool.connect()
      await client.query('begin')
      statements = 0
      const { pipeline } = context.integrations.within({
        async runInTransaction(text: string, values: unknown[]) {
          statements += 1
          // As after the failure of something else in a `Promise.all`.
          if (statements === last) await client.query('rollback')
          return client.query(text, values)
        },
      })
      await pipeline(quotation_id)
        .stepCompleted('requirement_analysis')
        .catch(() => undefined)
      await client.query('rollback')
      client.release()
      const [left] = await context.sql`
        select processed_step <> 'none' as progress,
          exists (select from quickquote.events e where e.quotation_id = q.id) as event,
          exists (select from quickquote.deliveries d join quickquote.events e on e.id = d.event_id
            where e.quotation_id = q.id) as delivery
        from quickquote.quotations q where id = ${quotation_id}`
      seen.add(Object.values(left ?? {}).join())
    }
    await pool.end()
    expect(statements).toBeGreaterThan(2)
    expect([...seen].sort()).toEqual(['false,false,false', 'true,true,true'])
  })

  describe('another client', () => {
    const start = (runInTransaction: OtherTransaction['runInTransaction']) =>
      context.integrations
        .within({ runInTransaction })
        .quotations.start({ organizationId: randomUUID(), source: 'ui', body: BODY })

    it('is refused outside a transaction of a pool of one connection, and its next transaction is not', async () => {
      const pool = openPgPool(context.url, { max: 1 })
      await expect(start((text, values) => pool.query(text, values))).rejects.toThrow('outside a transaction')
      const client = await pool.connect()
      await client.query('begin')
      await start((text, values) => client.query(text, values))
      await client.query('commit')
      client.release()
      expect((await context.recorded()).starts).toBe(1)
      await pool.end()
    })

    it('does not pass on the parameters that a client puts into its errors', async () => {
      const ended = Object.assign(new Error('Connection terminated'), { parameters: ['a secret'] })
      const error = await start(() => Promise.reject(ended)).catch((refusal) => refusal)
      expect(error).toMatchObject({
        name: 'StorageError',
        message: expect.stringContaining('the connection was lost'),
      })
      expect(inspect(error)).not.toContain('a secret')
    })

    it.runIf(hasPgBouncer() || process.env['CI'] !== undefined)(
      'is refused outside a transaction behind PgBouncer',
      async () => {
        const pgbouncer = await startPgBouncer(context.url, { poolSize: 1 })
        const pool = openPgPool(pgbouncer.url)
        await expect(start((text, values) => pool.query(text, values))).rejects.toThrow(
          'outside a transaction',
        )
        expect((await context.recorded()).starts).toBe(0)
        await pool.end()
        await pgbouncer.stop()
      },
    )
  })
})

it('compiles only with transactions', async () => {
  const { sql } = context
  const storage = drizzleStorage({ sql })
  const typed = integrationsOn(storage)
  const pool = openPgPool(context.url)
  const db = drizzleOnPg(pool)
  const strangers = (bound: DrizzleStorage) => [
    // @ts-expect-error no transaction at all
    () => [typed.within(42), bound.within(42)],
    // @ts-expect-error a client of postgres.js
    () => [typed.within(sql), bound.within(sql)],
    // @ts-expect-error a database of drizzle
    () => [typed.within(db), bound.within(db)],
    // @ts-expect-error a pool of node-postgres
    () => [typed.within(pool), bound.within(pool)],
  ]
  for (const within of strangers(storage)) expect(within).toThrow(ConfigurationError)
  expectTypeOf(storage.within).parameter(0).toEqualTypeOf<HostTransaction>()
  expectTypeOf<postgres.TransactionSql>().toExtend<HostTransaction>()
  expectTypeOf<Parameters<Parameters<typeof db.transaction>[0]>[0]>().toExtend<HostTransaction>()
  await pool.end()
})

it('no transaction and no quote compiles a schema again, which the validator would keep forever', async () => {
  const requireOfCore = createRequire(createRequire(import.meta.url).resolve('@quickquote/core'))
  const { Ajv } = (await import(requireOfCore.resolve('ajv'))) as {
    Ajv: { prototype: { compile(schema: unknown): unknown } }
  }
  const organizationId = randomUUID()
  const member = adminOf(organizationId)

  async function useEverything() {
    await context.sql.begin(async (transaction) => {
      const within = context.integrations.within(transaction)
      const body = { requirementsText: 'Text' }
      const { quotation_id } = await within.quotations.start({ organizationId, source: 'ui', body })
      for (const step of STEPS) await within.pipeline(quotation_id).stepCompleted(step)
      const soon = new Date(Date.now() + 60_000).toISOString()
      const key = await within.apiKeys.create(member, { name: 'Key', expires_at: soon })
      await within.apiKeys.update(member, key.id, { name: 'Other' })
      const endpoint = await within.webhookEndpoints.create(member, {
        name: 'CRM',
        url: 'https://crm.example',
        events: ['quotation.completed'],
      })
      await within.webhookEndpoints.update(member, endpoint.id, { name: 'Other' })
      await within.webhookEndpoints.rotateSecret(member, endpoint.id)
    })
  }

  await useEverything()
  const compile = vi.spyOn(Ajv.prototype, 'compile')
  await useEverything()
  expect(compile).not.toHaveBeenCalled()
  compile.mockRestore()
})
