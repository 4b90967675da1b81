import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCalls } from '../src/connection/call.ts'
import { connect } from '../src/connection/connect.ts'
import { MAINTENANCE, MIGRATION } from '../src/connection/driver.ts'
import { onPostgresJs } from '../src/connection/postgres-js.ts'
import { statement } from '../src/connection/statement.ts'
import { drizzleStorage, StorageError } from '../src/index.ts'
import { databaseOn } from './support/database-on.ts'
import { sampleQuotation } from './support/samples.ts'

const ORGANIZATION = '0198b2a0-0000-7000-8000-000000000001'

let testing: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  testing = await emptyDatabase()
  sql = postgres(testing.url, { max: 3, onnotice() {} })
  const storage = drizzleStorage({ connectionString: testing.url })
  await storage.migrate()
  await storage.close()
})

afterAll(async () => {
  await sql.end()
  await testing.drop()
})

/** Holds the locks of `statement` until released. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const other = await sql.reserve()
  await other`begin`
  await other.unsafe(statement)
  return async () => {
    await other`rollback`
    other.release()
  }
}

const MAINTENANCE_LOCK = `select pg_advisory_xact_lock(hashtextextended('quickquote maintenance', 0))`

describe('our own connections', () => {
  it.each([
    [{}, { statement_timeout: '5s', lock_timeout: '50ms', idle_in_transaction_session_timeout: '10s' }],
    [
      { statementTimeoutMs: 1234, lockTimeoutMs: 34, idleInTransactionTimeoutMs: 8901 },
      { statement_timeout: '1234ms', lock_timeout: '34ms', idle_in_transaction_session_timeout: '8901ms' },
    ],
  ])('have the timeouts of the options: %o', async (options, expected) => {
    const { driver } = connect({ connectionString: testing.url, ...options })
    for (const [name, value] of Object.entries(expected)) {
      expect([...(await driver.values(`show ${name}`, [], [name]))]).toEqual([[value]])
    }
    await driver.end()
  })

  it('wait for a lock as long as the option says, without keeping their connection', async () => {
    const release = await hold('lock table quickquote.quotations in access exclusive mode')
    const lockTimeoutMs = 1500
    const storage = drizzleStorage({ connectionString: testing.url, maxConnections: 1, lockTimeoutMs })
    const find = () => storage.quotations.find(ORGANIZATION, ORGANIZATION)
    const begun = performance.now()
    const refused = expect(Promise.all([find(), find(), find()])).rejects.toMatchObject({ code: '55P03' })
    // On the only connection, meanwhile.
    expect(await storage.clock.read()).toBeInstanceOf(Date)
    expect(performance.now() - begun).toBeLessThan(lockTimeoutMs)
    await refused
    expect(performance.now() - begun).toBeGreaterThanOrEqual(lockTimeoutMs)

    const waiting = find()
    await release()
    expect(await waiting).toBe('unknown')
    await storage.close()
  })

  it('limit the wait for a free connection', async () => {
    const storage = drizzleStorage({
      connectionString: testing.url,
      maxConnections: 1,
      poolTimeoutMs: 3000,
    })
    const find = () => storage.quotations.find(ORGANIZATION, ORGANIZATION)
    expect(await find()).toBe('unknown')
    let letGo = () => {}
    const held = storage.transaction(() => new Promise<void>((resolve) => (letGo = resolve)))
    await expect(find()).rejects.toMatchObject({ statusCode: 503, code: 'CONNECTION_POOL_TIMEOUT' })
    letGo()
    await held
    expect(await find()).toBe('unknown')
    await storage.close()
  })
})

describe('a call', () => {
  it('fails after its timeout, and its transaction is rolled back', async () => {
    const storage = drizzleStorage({ connectionString: testing.url, callTimeoutMs: 3000 })
    const quotation = sampleQuotation({ organization_id: ORGANIZATION })
    let ended = () => {}
    const worked = new Promise<void>((resolve) => (ended = resolve))
    const call: Promise<void> = storage.transaction(async (transaction) => {
      await transaction.quotations.accept(quotation, null)
      await call.catch(() => {})
      // The transaction uses its own clock.
      await sleep(100)
      ended()
    })
    await expect(call).rejects.toMatchObject({
      name: 'StorageError',
      statusCode: 503,
      message: 'storage.transaction: the database did not respond within 3000 ms (CONNECTION_UNANSWERED)',
    })
    await worked
    await storage.close()
    expect(await sql`select from quickquote.quotations where id = ${quotation.id}`).toHaveLength(0)
  })

  it('is rolled back at its timeout, even if the connections were ready late', async () => {
    const timeoutMs = 2000
    const driver = onPostgresJs(sql, { prepare: true })
    const database = databaseOn(driver, { callTimeoutMs: timeoutMs })
    await sql`create table late ()`
    let ended: Promise<unknown> = Promise.resolve()
    const call: Promise<unknown> = createCalls(() => sleep(timeoutMs * 0.75), timeoutMs).call(
      'storage.transaction',
      () => {
        ended = database.transaction(async ({ run }) => {
          await run(statement({}, 'insert into late default values returning null'))
          await call.catch(() => {})
          await sleep(100)
        })
        return ended as Promise<void>
      },
    )
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_UNANSWERED' })
    await expect(ended).rejects.toMatchObject({ code: 'CONNECTION_UNANSWERED' })
    expect(await sql`select from late`).toHaveLength(0)
  })

  it('is never made if the connections are ready too late', async () => {
    let isMade = false
    const ready = sleep(200)
    const call = createCalls(() => ready, 50).call('storage.transaction', async () => {
      isMade = true
    })
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_UNANSWERED' })
    await ready
    await sleep(0)
    expect(isMade).toBe(false)
  })

  it('has no timeout in a transaction of the host, and changes no setting there', async () => {
    const storage = drizzleStorage({ sql, callTimeoutMs: 200 })
    await sql.begin(async (transaction) => {
      const settings = () => transaction`
        select name, setting from pg_settings
        where name ~ 'timeout|style|isolation|search_path|bytea_output|timezone|array_nulls' order by name`
      const before = await settings()
      await transaction`select pg_sleep(0.5)`
      const bound = storage.within(transaction)
      await bound.quotations.accept(sampleQuotation({ organization_id: ORGANIZATION }), null)
      await bound.transaction(async (nested) => {
        await sleep(400)
        expect(await nested.quotations.find(ORGANIZATION, ORGANIZATION)).toBe('unknown')
      })
      expect([...(await settings())]).toEqual([...before])
    })
  })
})

describe('slow work', () => {
  const hasty = () =>
    drizzleStorage({ connectionString: testing.url, statementTimeoutMs: 300, lockTimeoutMs: 200 })

  it('has no timeout: migrate', async () => {
    const release = await hold(MAINTENANCE_LOCK)
    const storage = hasty()
    const call = storage.migrate()
    await sleep(1500)
    await release()
    await call
    await storage.close()
  })

  it('has no timeout: retention', async () => {
    const release = await hold('lock table quickquote.replays in access exclusive mode')
    const storage = hasty()
    const call = storage.retention.forgetReplays(new Date(0))
    await sleep(1500)
    await release()
    await call
    await storage.close()
  })
})

it.each(Object.entries({ MAINTENANCE, MIGRATION }))(
  '%s is rolled back if its process is frozen before the commit',
  async (_, timeout) => {
    const idleInTransactionTimeoutMs = 1000
    const { driver } = connect({ connectionString: testing.url, idleInTransactionTimeoutMs })
    const isLocked = async () => {
      const [lock] = await sql`
        select pg_try_advisory_xact_lock(hashtextextended('quickquote maintenance', 0)) as free`
      return lock?.['free'] === false
    }
    const frozen = driver.begin(async (transaction) => {
      await transaction.script(MAINTENANCE_LOCK)
      expect(await isLocked()).toBe(true)
      // Its process does nothing more.
      await expect.poll(isLocked).toBe(false)
    }, timeout)
    // The server has closed the connection; the commit meets the end of the stream, or a reset if it is written first.
    await expect(frozen).rejects.toMatchObject({
      code: expect.stringMatching(/^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/),
    })
    await driver.end()
  },
)

describe('conflicting transactions', () => {
  const refuse = (state: string) => `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`

  it.each(['40001', '40P01'])('(%s) are retried, up to three times', async (state) => {
    const { driver } = connect({ connectionString: testing.url })
    const database = databaseOn(driver)
    let tries = 0
    const work = (refusals: number) =>
      database.transaction(async ({ run }) => {
        tries += 1
        if (tries <= refusals) await run(statement({}, refuse(state)))
        return tries
      })
    expect(await work(2)).toBe(3)
    tries = 0
    await expect(work(10)).rejects.toMatchObject({ code: state })
    expect(tries).toBe(3)
    await driver.end()
  })
})

it.each(['57014', '55P03', '25P03', '25P04', '57P05', '40001', '40P01', '25006', '57P01', '53300', '08006'])(
  'SQLSTATE %s is temporary: 503',
  (code) => {
    expect(new StorageError('any', Object.assign(new Error('gone'), { code })).statusCode).toBe(503)
  },
)

it.each(['23505', '42P01', '22P02', '26000', 'TLS_NOT_OFFERED'])('%s is permanent: 500', (code) => {
  expect(new StorageError('any', Object.assign(new Error('wrong'), { code })).statusCode).toBe(500)
})

it('a timeout of the provider is a 503', async () => {
  const impatient = postgres(testing.url, {
    max: 1,
    fetch_types: false,
    connection: { statement_timeout: 300 },
  })
  const release = await hold('lock table quickquote.quotations in access exclusive mode')
  const storage = drizzleStorage({ sql: impatient })
  await expect(storage.quotations.find(ORGANIZATION, ORGANIZATION)).rejects.toMatchObject({
    statusCode: 503,
    code: '57014',
  })
  await release()
  await impatient.end()
})
