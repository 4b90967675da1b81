import { refusalOf, untriedOptions } from '@quickquote/dev-servers/refusals'
import { drizzle as drizzle1 } from 'drizzle-orm-1/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, it } from 'vitest'
import { drizzleStorage, type StorageOptions } from '../src/index.ts'

const connectionString = 'postgres://me:hunter2@localhost/app'
const PASSWORD = /hunter2/

const create = (options: unknown) => () => drizzleStorage(options as StorageOptions)

const WRONG: [string, object, RegExp][] = [
  [
    'no connection string',
    { connectionString: undefined },
    /connectionString is missing\. Is the environment variable/,
  ],
  [
    'an empty connection string',
    { connectionString: '' },
    /connectionString is missing\. .* such as DATABASE_URL/,
  ],
  [
    "Prisma's connection string",
    { connectionString: 'postgres://app@db/app?schema=public' },
    /the parameter schema is unknown\. .* the option `schema` of drizzleStorage/,
  ],
  ['a URL of another protocol', { connectionString: 'mysql://me:hunter2@h/d' }, /connectionString must have/],
  ['a password with a slash', { connectionString: 'postgres://me:hunter2/x@h:y/d' }, /percent-encoded/],
  ['no connections', { maxConnections: 0 }, /maxConnections must be a whole number, 1 or more/],
  ['text for a number', { maxConnections: '5' }, /maxConnections must be/],
  [
    'a pool of another driver',
    { connectionString: undefined, sql: { query() {} } },
    /sql must be a postgres.js client/,
  ],
  ['two ways to connect', { sql: () => {} }, /pass either sql .* or a connectionString/],
  [
    'a drizzle database that is not one',
    { connectionString: undefined, db: {} },
    /db must be a drizzle database/,
  ],
  [
    'a database of drizzle-orm 1',
    { connectionString: undefined, db: drizzle1({ client: postgres(connectionString) }) },
    /^db is a database of drizzle-orm 1, which is not supported yet\. Install drizzle-orm 0\.45/,
  ],
  [
    'a drizzle database with options for our own connections',
    { db: {}, maxConnections: 5 },
    /either db .*maxConnections cannot be combined/,
  ],
  ['a schema with capitals', { schema: 'Quotes' }, /schema must name an SQL schema/],
  ['the schema of the host', { schema: 'public' }, /schema must name/],
  ['a schema that is not text', { schema: 5 }, /schema must name/],
  ['text for a flag', { prepare: 'no' }, /prepare must be true or false/],
  ['a number for a flag', { anyEngine: 1 }, /anyEngine must be true or false/],
  ['an unlimited connection timeout', { connectTimeoutMs: 0 }, /connectTimeoutMs must be a whole/],
  ['text for a time', { poolTimeoutMs: '5s' }, /poolTimeoutMs must be a whole number, from 1 to 2147483647/],
  ['an unlimited statement timeout', { statementTimeoutMs: 0 }, /statementTimeoutMs must be/],
  ['a negative lock timeout', { lockTimeoutMs: -1 }, /lockTimeoutMs must be/],
  ['a fraction of a millisecond', { idleInTransactionTimeoutMs: 0.5 }, /idleInTransactionTimeoutMs must be/],
  ['a negative time', { keepAliveMs: -1 }, /keepAliveMs must be a whole number, from 0/],
  ['an unlimited call timeout', { callTimeoutMs: Number.POSITIVE_INFINITY }, /callTimeoutMs must be/],
  [
    'an unknown option',
    { maxConnection: 5 },
    /maxConnection is not an option\. Did you mean maxConnections\?/,
  ],
  ["the driver's option", { max: 5 }, /max is not an option\. Options: /],
]

describe('drizzleStorage', () => {
  it.each(WRONG)('refuses %s, without the password', (_, wrong, message) => {
    const refusal = refusalOf(create({ connectionString, ...wrong }))
    expect(refusal).toMatch(message)
    expect(refusal).not.toMatch(PASSWORD)
  })

  it('refuses invalid values for every option', () => {
    const refusal = refusalOf(create({ '': 1 }))
    const tried = WRONG.map(([, wrong]) => wrong)
    expect(untriedOptions(refusal, tried)).toEqual([])
  })

  it('refuses a call without options, or with none set', () => {
    expect(refusalOf(create(undefined))).toMatch(/drizzleStorage must be an object with: connectionString/)
    expect(refusalOf(create({}))).toMatch(/connectionString is missing/)
  })

  it('does not close a client of the host, however the other option is omitted', async () => {
    const sql = postgres(inject('postgresUrl'), { max: 1 })
    await drizzleStorage({ sql, connectionString: undefined } as unknown as StorageOptions).close()
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
  })
})
