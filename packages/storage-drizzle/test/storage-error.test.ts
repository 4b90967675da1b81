import { randomBytes, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { ConfigurationError, IntegrationError } from '@quickquote/core'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { drizzleStorage, StorageError } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { HOSTS } from './support/hosts.ts'
import { MANY_KEYS, sampleApiKey, sampleQuotation } from './support/samples.ts'

const SECRET = 'the-secret-that-was-sent'

// With `debug`, postgres.js adds the query and its parameters to errors.
const { url, sql } = await openDatabase({ sql: { debug: () => undefined } })

/** Everything in an error that a logger could print. */
function printed(error: unknown): string {
  return inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String(error)
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  )
}

/** Statements that PostgreSQL refuses, each with a secret parameter. */
const REFUSED = {
  'a value of the wrong type, through drizzle': () => sampleApiKey({ organization_id: SECRET }),
  'a constraint, through drizzle': () => sampleApiKey({ owner_id: SECRET, status: SECRET as 'active' }),
}

describe('an error of the storage', () => {
  it.each(Object.entries(REFUSED))('contains no parameter: %s', async (_, makeKey) => {
    const error = await errorOf(drizzleStorage({ sql }).apiKeys.insert(makeKey(), randomBytes(32), MANY_KEYS))

    expect(error).toBeInstanceOf(StorageError)
    expect(printed(error)).not.toContain(SECRET)
    expect((error as StorageError).message).toMatch(/^apiKeys\.insert: .+ \((22P02|23514)\)$/)
  })

  it('contains no parameter: a raw statement', async () => {
    const error = await errorOf(
      drizzleStorage({ sql }).quotations.accept(sampleQuotation({ config_id: SECRET }), null),
    )

    expect(error).toMatchObject({ name: 'StorageError', code: '22P02' })
    expect(printed(error)).not.toContain(SECRET)
  })

  it.each(Object.entries(HOSTS))('contains no parameter: within %s', async (_, openHost) => {
    const host = openHost(url)
    const errors: unknown[] = []
    await host
      .transaction(async (transaction) => {
        const within = drizzleStorage({ sql }).within(transaction)
        errors.push(
          await errorOf(
            within.apiKeys.insert(sampleApiKey({ organization_id: SECRET }), randomBytes(32), MANY_KEYS),
          ),
        )
        throw new Error('the host rolls back')
      })
      .catch(() => undefined)
    await host.close()

    expect(errors).toEqual([expect.objectContaining({ name: 'StorageError', code: '22P02' })])
    expect(printed(errors)).not.toContain(SECRET)
  })

  it('contains no parameter: a transaction of our own', async () => {
    const error = await errorOf(
      drizzleStorage({ sql }).transaction(async (storage) => {
        await storage.quotations.accept(sampleQuotation({ config_id: SECRET }), null).catch(() => undefined)
      }),
    )

    expect(error).toMatchObject({ name: 'StorageError', code: '22P02' })
    expect(printed(error)).not.toContain(SECRET)
  })

  it('names the violated constraint', async () => {
    const storage = drizzleStorage({ sql })
    const hash = randomBytes(32)
    await storage.apiKeys.insert(sampleApiKey(), hash, MANY_KEYS)
    const error = await errorOf(storage.apiKeys.insert(sampleApiKey(), hash, MANY_KEYS))

    expect(error).toMatchObject({ code: '23505', constraint: 'api_keys_key_hash_key' })
    expect(printed(error)).not.toContain(hash.toString('hex'))
  })

  it('contains no password if the database is unreachable', async () => {
    const storage = drizzleStorage({ connectionString: `postgres://user:${SECRET}@127.0.0.1:1/database` })
    const error = await errorOf(storage.apiKeys.findByHash(randomBytes(32)))
    await storage.close()

    expect(error).toMatchObject({ name: 'StorageError', code: 'ECONNREFUSED' })
    expect(printed(error)).not.toContain(SECRET)
  })

  it('says that the storage was closed before the call, which is not an outage', async () => {
    const storage = drizzleStorage({ connectionString: url })
    await storage.retention.countHours()
    await storage.close()
    const error = await errorOf(storage.retention.countHours())
    expect(error).toMatchObject({ code: 'CONNECTION_ENDED', statusCode: 503, isOutage: false })
    expect(String(error)).toContain('the storage, or your client, was closed before this call')
  })

  it('has a stack that leads to the call', async () => {
    const missing = drizzleStorage({ sql, schema: 'missing' })
    async function service() {
      return await missing.signingSecrets.count()
    }
    expect(await errorOf(service())).toHaveProperty('stack', expect.stringMatching(/ at (async )?service /))
    const inTransaction = () =>
      missing.transaction(async ({ signingSecrets }) => await signingSecrets.count())
    expect(await errorOf(inTransaction())).toMatchObject({
      message: expect.stringMatching(/^signingSecrets\.count: /),
      stack: expect.stringContaining('storage-error.test.ts'),
    })
  })

  it('has the SQLSTATE where Bun puts it', async () => {
    const bun = { code: 'ERR_POSTGRES_SERVER_ERROR', severity: 'ERROR', detail: SECRET }
    const errorWith = (errno: string) => {
      const refuse = () => Promise.reject(Object.assign(new Error('refused'), { ...bun, errno }))
      return errorOf(
        drizzleStorage({ sql }).within({ runInTransaction: refuse }).apiKeys.findByHash(randomBytes(32)),
      )
    }
    expect(await errorWith('40001')).toMatchObject({ name: 'StorageError', code: '40001', statusCode: 503 })
    expect(await errorWith('QE001')).toMatchObject({ code: 'ORGANIZATION_ERASED' })
    expect(await errorWith('25P01')).toBeInstanceOf(ConfigurationError)
    expect(printed(await errorWith('23505'))).not.toContain(SECRET)
  })

  it('does not replace other errors that pass through a transaction', async () => {
    const refusal = new IntegrationError('STATE_CONFLICT')
    const fault = new TypeError('of the caller')
    const storage = drizzleStorage({ sql })

    await expect(storage.transaction(() => Promise.reject(refusal))).rejects.toBe(refusal)
    await expect(storage.transaction(() => Promise.reject(fault))).rejects.toBe(fault)
  })
})

describe('an invalid option', () => {
  it('a client that looks like postgres.js, such as Bun.SQL, is refused with what to pass instead', () => {
    const bun = Object.assign(() => undefined, { begin: () => undefined, options: { adapter: 'postgres' } })
    const open = () => drizzleStorage({ sql: bun as never })
    expect(open).toThrow(ConfigurationError)
    expect(open).toThrow('With Bun.SQL, pass a connectionString')
  })

  it.each([
    `${SECRET}`,
    `mysql://user:${SECRET}@localhost/database`,
    `postgres://user:${SECRET}@[/database`,
    `postgres://user:${SECRET}@localhost:port/database`,
    `postgres://user:${SECRET}%@localhost/database`,
  ])('is refused without printing the connection string: %s', (connectionString) => {
    const open = () => drizzleStorage({ connectionString })
    expect(open).toThrow(ConfigurationError)
    expect(open).toThrow(/^connectionString must have the form/)
    expect(open).not.toThrow(SECRET)
  })

  it.each([
    'public',
    'pg_catalog',
    'pg_quotes',
    'information_schema',
    'Quotes',
    'a"b',
    '',
    '1a',
    'a'.repeat(41),
  ])('is refused: the schema "%s"', (schema) => {
    expect(() => drizzleStorage({ sql, schema })).toThrow(ConfigurationError)
  })

  it('is refused: a client that would rename columns or change JSON', () => {
    const client = postgres(url, { transform: postgres.camel })
    expect(() => drizzleStorage({ sql: client })).toThrow(/transform/)
  })

  it('is refused: a transaction instead of a client', async () => {
    await sql.begin(async (transaction) => {
      expect(() => drizzleStorage({ sql: transaction as unknown as postgres.Sql })).toThrow(
        ConfigurationError,
      )
    })
  })
})

describe('an invalid id', () => {
  it('is unknown, not an error of PostgreSQL', async () => {
    const storage = drizzleStorage({ sql })
    const organization = randomUUID()
    for (const id of [
      '',
      'x',
      '1; drop table',
      `{${randomUUID()}}`,
      randomUUID().replaceAll('-', ''),
      'a\0b',
    ]) {
      expect(await storage.quotations.find(organization, id)).toBe('unknown')
      expect(await storage.quotations.findPipelineStatus(organization, id)).toBe('unknown')
      expect(await storage.quotations.findProposalOf(organization, id)).toBe('unknown')
      expect(await storage.quotations.findProposal(organization, id)).toBe('unknown')
      expect(await storage.quotations.lockProgress(id)).toBeNull()
    }
  })

  it('owns nothing as an organization', async () => {
    const storage = drizzleStorage({ sql })
    const quotation = sampleQuotation()
    await storage.quotations.accept(quotation, null)

    expect(await storage.quotations.find('x', quotation.id)).toBe('other_organization')
  })
})
