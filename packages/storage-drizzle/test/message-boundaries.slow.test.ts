import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { drizzle } from 'drizzle-orm/postgres-js'
import publishedPostgres from 'published-postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Target } from '../src/connection/connect.ts'
import type { Driver, Statements } from '../src/connection/driver.ts'
import { type Fault, startMessageProxy } from './support/message-proxy.ts'

/** For all statements, and for those whose answer is lost: the driver waits half a second longer. */
const LONG_MS = 120_000
const SILENT_MS = 1500

let database: TestDatabase
let sql: publishedPostgres.Sql
let expected: unknown

beforeAll(async () => {
  database = await emptyDatabase()
  sql = publishedPostgres(database.url, { max: 3, onnotice() {} })
  await sql`create table public.notes (id text primary key)`
  await sql`create table deferred (id text references notes deferrable initially deferred)`
  const fresh = connect({ connectionString: database.url })
  expected = await read(fresh.driver)
  await fresh.driver.end()
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** How the storage gets its connections: one each, so that each statement follows the one before it. */
const CLIENTS: Record<
  string,
  (url: string, statementTimeoutMs: number) => { target: Target; close(): Promise<void> }
> = {
  'our own connection': (connectionString, statementTimeoutMs) => ({
    target: { connectionString, maxConnections: 1, statementTimeoutMs },
    close: async () => {},
  }),
  "a host's postgres.js, as published": (url, timeoutMs) => {
    const client = openPublished(url, timeoutMs)
    return { target: { sql: client as unknown as NonNullable<Target['sql']> }, close: () => client.end() }
  },
  "a host's drizzle on postgres.js, as published": (url, timeoutMs) => {
    const client = openPublished(url, timeoutMs)
    return { target: { db: drizzle(client as never) }, close: () => client.end() }
  },
}

function openPublished(url: string, timeoutMs: number) {
  const connection = { statement_timeout: timeoutMs }
  return publishedPostgres(url, { max: 1, fetch_types: false, onnotice() {}, connection })
}

async function withClient<T>(
  name: string,
  work: (driver: Driver, application: string) => Promise<T>,
  { url = database.url, timeoutMs = LONG_MS }: { url?: string; timeoutMs?: number } = {},
): Promise<T> {
  const application = randomUUID()
  const { target, close } = (CLIENTS[name] ?? expect.fail())(
    `${url}?application_name=${application}`,
    timeoutMs,
  )
  const { driver } = connect(target)
  try {
    return await work(driver, application)
  } finally {
    await driver.end()
    await close()
  }
}

const codeOf = (error: unknown) => String(Object(error).cause?.code ?? Object(error).code)

/** Reads in every way. */
async function read(driver: Statements): Promise<unknown> {
  const simple = await driver.values("select n, 'é' as word from generate_series(1, 2) n", [], ['n', 'word'])
  const text = 'select n, null as nothing, $1::text as word from generate_series(1, 4) n'
  const values = await driver.values(text, ['word'], ['n', 'nothing', 'word'])
  const none = await driver.values('select $1::text as word where false', ['none'], ['word'])
  return { simple: [...simple], values: [...values], none: [...none] }
}

type Kind = (driver: Driver, text: string) => Promise<unknown>

/** The kinds of statements. `$1` in a text is its parameter. */
const KINDS: Record<string, Kind> = {
  values: (driver, text) => driver.values(text, ['1'], []),
  'the same values again': async (driver, text) => {
    await driver.values(text, ['0'], [])
    return driver.values(text, ['1'], [])
  },
  'values without parameters': (driver, text) => driver.values(withoutParameter(text), [], []),
  script: (driver, text) => driver.script(withoutParameter(text)),
  'values in a transaction': (driver, text) =>
    driver.begin((transaction) => transaction.values(text, ['1'], [])),
}

const withoutParameter = (text: string) => text.replaceAll('$1', "'1'")

/** Statements that fail after some rows, if their parameter is 1. */
const after = (rows: number, failure: string) =>
  `select case when n > ${rows} and $1::text = '1' then ${failure} else n::text end from generate_series(1, 5) n`

async function endWhenAsleep(end: 'pg_cancel_backend' | 'pg_terminate_backend', application: string) {
  await expect
    .poll(() =>
      sql.unsafe(
        `select ${end}(pid) from pg_stat_activity where application_name = $1 and wait_event = 'PgSleep'`,
        [application],
      ),
    )
    .toHaveLength(1)
}

const SLEEP = 'pg_sleep(60)::text'

/** How the server ends a statement in the middle. */
const ENDS: Record<
  string,
  { failure: string; codes: RegExp; timeoutMs?: number; meanwhile?: (application: string) => Promise<void> }
> = {
  'an error': { failure: '(1 / (n - n))::text', codes: /22012/ },
  statement_timeout: { failure: SLEEP, codes: /57014/, timeoutMs: 200 },
  'a cancel': {
    failure: SLEEP,
    codes: /57014/,
    meanwhile: (application) => endWhenAsleep('pg_cancel_backend', application),
  },
  'the end of the session': {
    failure: SLEEP,
    codes: /57P01|CONNECTION_CLOSED/,
    meanwhile: (application) => endWhenAsleep('pg_terminate_backend', application),
  },
}

describe.each(Object.keys(CLIENTS))('%s', (client) => {
  const isOwn = client === 'our own connection'
  // A published driver may not survive a lost connection.
  const ends = Object.keys(ENDS).filter((name) => isOwn || name !== 'the end of the session')

  it.each(ends)('gives whole results after %s in the middle of one, whatever the statement', async (name) => {
    const { failure, codes, meanwhile, timeoutMs } = ENDS[name] ?? expect.fail()
    await Promise.all(
      Object.entries(KINDS).map(([kind, perform]) =>
        withClient(client, async (driver, application) => {
          for (const rows of [0, 1, 4]) {
            if (timeoutMs !== undefined) await driver.script(`set statement_timeout = ${timeoutMs}`)
            const [code] = await Promise.all([
              perform(driver, after(rows, failure)).then(() => 'none', codeOf),
              meanwhile?.(application),
            ])
            expect(code, `${kind}, ${rows} rows`).toMatch(codes)
            // On a busy machine this can reach the timeout, too.
            const isReset = () =>
              driver.script('set statement_timeout = 0').then(
                () => true,
                () => false,
              )
            if (timeoutMs !== undefined) await expect.poll(isReset).toBe(true)
            expect(await read(driver), `${kind}, ${rows} rows`).toEqual(expected)
          }
        }),
      ),
    )
  })

  it('gives whole results after an error at each step of a statement', async () => {
    await withClient(client, async (driver) => {
      const failures: [string, () => Promise<unknown>][] = [
        ['parse', () => driver.values('selec $1::text', ['1'], [])],
        ['bind', () => driver.values('select $1::int as n', ['not a number'], ['n'])],
        [
          'sync',
          () => driver.values('insert into public.deferred values ($1) returning id', ['nobody'], ['id']),
        ],
        [
          'commit',
          () =>
            driver.begin((bound) => bound.values("insert into public.deferred values ('nobody')", [], [])),
        ],
      ]
      for (const [step, fail] of failures) {
        await expect(fail()).rejects.toThrow()
        expect(await read(driver), step).toEqual(expected)
        expect(await driver.begin((bound) => read(bound)), step).toEqual(expected)
      }
    })
    expect(await sql`select from deferred`).toHaveLength(0)
  })

  it('acknowledges a transaction only if it was committed, even if its prepared statements were lost', async () => {
    await withClient(client, async (driver) => {
      for (const lost of ['nothing', 'before the statement', 'before the commit']) {
        const id = randomUUID()
        const work = driver.begin(async (bound) => {
          if (lost === 'before the statement') await bound.script('deallocate all')
          await bound.values('insert into public.notes values ($1) returning id', [id], ['id'])
          if (lost === 'before the commit') await bound.script('deallocate all')
        })
        const code = await work.then(() => 'done', codeOf)
        expect(code, lost).toMatch(/^(done|26000)$/)
        expect(await sql`select from notes where id = ${id}`, lost).toHaveLength(code === 'done' ? 1 : 0)
        if (lost !== 'before the statement') expect(code, lost).toBe('done')
      }
    })
  })

  it('refuses a transaction whose commit was answered with ROLLBACK', async () => {
    const proxy = await startMessageProxy(database.url)
    await withClient(
      client,
      async (driver) => {
        await read(driver)
        proxy.rewrite('COMMIT', 'ROLLBACK')
        await expect(driver.begin(async (bound) => read(bound))).rejects.toMatchObject({ code: '40000' })
        expect(await read(driver)).toEqual(expected)
      },
      proxy,
    )
    await proxy.stop()
  })
})

describe('our own connection, lost at each message', () => {
  const note = async (driver: Statements) => {
    const id = randomUUID()
    await driver.values('insert into public.notes values ($1) returning id', [id], ['id'])
    return id
  }
  const kinds: Record<string, (driver: Driver) => Promise<unknown>> = {
    read,
    'read in a transaction': (driver) => driver.begin((bound) => read(bound)),
    'an insert': note,
    'an insert in a transaction': (driver) => driver.begin((bound) => note(bound)),
    script: (driver) => driver.script("set application_name to 'a'; select 1; select 2"),
  }

  it.each<Fault>(['reset', 'close', 'half', 'silence'])('%s', async (fault) => {
    await Promise.all(
      Object.entries(kinds).map(async ([kind, perform]) => {
        const proxy = await startMessageProxy(database.url)
        await withClient(
          'our own connection',
          async (driver) => {
            const all = await messagesOf(proxy, () => perform(driver))
            for (let message = 0; message < all; message += fault === 'silence' ? 8 : 1) {
              proxy.fail(fault, message)
              await expect(perform(driver), `${kind}, message ${message} of ${all}`).rejects.toMatchObject({
                code: expect.stringMatching(/^(CONNECTION_(CLOSED|UNANSWERED)|ECONNRESET|EPIPE)$/),
              })
              expect(await read(driver), `${kind}, message ${message} of ${all}`).toEqual(expected)
              expect(await driver.begin((bound) => read(bound))).toEqual(expected)
            }
          },
          { url: proxy.url, timeoutMs: fault === 'silence' ? SILENT_MS : LONG_MS },
        )
        await proxy.stop()
      }),
    )
  })

  it.each<[Fault, 'one host' | 'two hosts']>([
    ['reset', 'one host'],
    ['close', 'one host'],
    ['half', 'one host'],
    ['reset', 'two hosts'],
    ['close', 'two hosts'],
    ['half', 'two hosts'],
  ])(
    '%s at the messages of the beginning of a session: an error, or the other of %s',
    async (fault, hosts) => {
      const proxy = await startMessageProxy(database.url)
      const other = new URL(database.url).host
      const url =
        hosts === 'one host' ? proxy.url : proxy.url.replace(/@[^/]*/, (place) => `${place},${other}`)
      const one = (driver: Driver) => driver.values('select 1 as one', [], ['one'])
      proxy.rewrite('nothing of the kind', '')
      await withClient('our own connection', one, { url })
      // The answer to the statement has four.
      const beginning = proxy.count - 4
      for (let message = 0; message < beginning; message += fault === 'reset' ? 1 : 4) {
        proxy.fail(fault, message)
        await withClient(
          'our own connection',
          async (driver) => {
            const code = await one(driver).then(() => 'answered', codeOf)
            expect(code, `message ${message}`).toMatch(
              hosts === 'two hosts' ? /^answered$/ : /^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/,
            )
            expect(await read(driver)).toEqual(expected)
          },
          { url },
        )
      }
      expect(beginning).toBeGreaterThan(10)
      await proxy.stop()
    },
  )

  async function messagesOf(
    proxy: Awaited<ReturnType<typeof startMessageProxy>>,
    perform: () => Promise<unknown>,
  ) {
    // Once more, to count the messages of prepared statements.
    await perform()
    proxy.rewrite('nothing of the kind', '')
    await perform()
    return proxy.count
  }
})
