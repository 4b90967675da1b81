import { itRefuses, PASSWORD, refusalOf } from '@quickquote/dev-servers/refusals'
import { drizzle as drizzle1 } from 'drizzle-orm-1/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, it } from 'vitest'
import { drizzleStorage, type StorageOptions } from '../src/index.ts'

const connectionString = `postgres://me:${PASSWORD}@localhost/app`

const create = (options: unknown) => drizzleStorage(options as StorageOptions)

const WRONG: [object, RegExp][] = [
  [{ connectionString: undefined }, /connectionString is missing\. Is the environment variable/],
  [{ connectionString: '' }, /connectionString is missing\. .* such as DATABASE_URL/],
  [
    { connectionString: 'postgres://app@db/app?schema=public' },
    /the parameter schema is unknown\. .* the option `schema` of drizzleStorage/,
  ],
  [{ connectionString: `mysql://me:${PASSWORD}@h/d` }, /connectionString must have/],
  [{ connectionString: `postgres://me:${PASSWORD}/x@h:y/d` }, /percent-encoded/],
  [{ maxConnections: 0 }, /maxConnections must be a whole number, from 1 to 10000/],
  [{ maxConnections: 1e6 }, /maxConnections must be .* to 10000/],
  [{ maxConnections: '5' }, /maxConnections must be/],
  [{ connectionString: undefined, sql: { query() {} } }, /sql must be a postgres.js client/],
  [{ sql: () => {} }, /pass either sql .* or a connectionString/],
  [{ connectionString: undefined, db: {} }, /db must be a drizzle database/],
  [
    { connectionString: undefined, db: drizzle1({ client: postgres(connectionString) }) },
    /^db is a database of drizzle-orm 1, which is not supported yet\. Install drizzle-orm 0\.45/,
  ],
  [{ db: {}, maxConnections: 5 }, /either db .*maxConnections cannot be combined/],
  [{ schema: 'Quotes' }, /schema must name an SQL schema/],
  [{ schema: 'public' }, /schema must name/],
  [{ schema: 5 }, /schema must name/],
  [{ prepare: 'no' }, /prepare must be true or false/],
  [{ anyEngine: 1 }, /anyEngine must be true or false/],
  [{ connectTimeoutMs: 0 }, /connectTimeoutMs must be a whole/],
  [{ poolTimeoutMs: '5s' }, /poolTimeoutMs must be a whole number, from 1 to 2147483647/],
  [{ statementTimeoutMs: 0 }, /statementTimeoutMs must be/],
  [{ lockTimeoutMs: -1 }, /lockTimeoutMs must be/],
  [{ idleInTransactionTimeoutMs: 0.5 }, /idleInTransactionTimeoutMs must be/],
  [{ keepAliveMs: -1 }, /keepAliveMs must be a whole number, from 0/],
  [{ callTimeoutMs: Number.POSITIVE_INFINITY }, /callTimeoutMs must be/],
  [{ maxConnection: 5 }, /maxConnection is not an option\. Did you mean maxConnections\?/],
  [{ max: 5 }, /max is not an option\. Options: /],
]

describe('drizzleStorage', () => {
  itRefuses((wrong) => create({ connectionString, ...wrong }), WRONG)

  it('refuses a call without options, or with none set', async () => {
    expect(await refusalOf(() => create(undefined))).toMatch(
      /drizzleStorage must be an object with: connectionString/,
    )
    expect(await refusalOf(() => create({}))).toMatch(/connectionString is missing/)
  })

  it('does not close a client of the host, however the other option is omitted', async () => {
    const sql = postgres(inject('postgresUrl'), { max: 1 })
    await drizzleStorage({ sql, connectionString: undefined } as unknown as StorageOptions).close()
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
  })
})
