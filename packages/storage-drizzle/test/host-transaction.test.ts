import { randomUUID } from 'node:crypto'
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
import { type DrizzleStorage, drizzleStorage, type HostTransaction } from '../src/index.ts'
import type { OtherTransaction } from './documented.ts'
import { BODY, useTransactions } from './host-transactions.ts'
import { HOSTS, openPgPool } from './hosts.ts'

const context = useTransactions()

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
    const onPg = '{ runInTransaction: (text, values) => client.query(text, values) }'
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const strangers: [unknown, string][] = [
      [client, onPg],
      [pool, `await pool.connect(), client.query('begin'), and pass ${onPg}`],
      [kysely, 'trx.executeQuery(CompiledQuery.raw(text, values))'],
    ]
    for (const [stranger, hint] of strangers)
      expect(() => context.integrations.within(stranger)).toThrow(hint)
    client.release()
    await pool.end()
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
        message: expect.stringContaining('Connection terminated'),
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
