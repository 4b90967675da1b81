import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { drizzleStorage, StorageError } from '../src/index.ts'
import { openDatabase } from './database.ts'
import { MANY_KEYS, sampleApiKey, sampleQuotation } from './samples.ts'

/** The look-ups sent to the database. */
let statements: string[] = []

// postgres.js sends its own statement on each new connection.
const { sql } = await openDatabase({
  sql: { debug: (_, text) => text.includes('any (') && statements.push(text) },
})

beforeEach(() => {
  statements = []
})

const range = (length: number) => Array.from({ length }, (_, index) => index)

it('concurrent look-ups of quotations share one statement, and each caller gets its own', async () => {
  const storage = drizzleStorage({ sql })
  const quotations = range(20).map((index) => sampleQuotation({ name: `Quotation ${index}` }))
  for (const quotation of quotations) await storage.quotations.accept(quotation, null)

  const found = await Promise.all(
    quotations.flatMap(({ id, organization_id }) => [
      storage.quotations.find(organization_id, id),
      storage.quotations.find(randomUUID(), id),
      storage.quotations.find(organization_id, id.toUpperCase()),
      storage.quotations.find(organization_id, randomUUID()),
    ]),
  )

  expect(found).toEqual(
    quotations.flatMap(({ id, name }) => {
      const own = expect.objectContaining({ id, name })
      return [own, 'other_organization', own, 'unknown']
    }),
  )
  expect(statements).toHaveLength(1)
})

it('concurrent look-ups of keys share statements of up to a hundred, and each caller gets its own', async () => {
  const storage = drizzleStorage({ sql })
  const keys = range(120).map(() => ({ key: sampleApiKey(), hash: randomBytes(32) }))
  for (const { key, hash } of keys) await storage.apiKeys.insert(key, hash, MANY_KEYS)

  const found = await Promise.all(
    keys.flatMap(({ hash }) => [
      storage.apiKeys.findByHash(hash),
      storage.apiKeys.findByHash(randomBytes(32)),
    ]),
  )

  expect(found).toEqual(
    keys.flatMap(({ key: { id, organization_id, status, expires_at } }) => [
      { id, organization_id, status, expires_at },
      null,
    ]),
  )
  expect(statements).toHaveLength(3)
})

it('a look-up sees everything committed before its call', async () => {
  const storage = drizzleStorage({ sql })
  const [key, hash] = [sampleApiKey(), randomBytes(32)]
  await storage.apiKeys.insert(key, hash, MANY_KEYS)
  expect(await storage.apiKeys.findByHash(hash)).toMatchObject({ status: 'active' })

  await storage.apiKeys.save({ ...key, status: 'revoked' })

  expect(await storage.apiKeys.findByHash(hash)).toMatchObject({ status: 'revoked' })
})

it('in a transaction of the host, a look-up sees uncommitted rows that others do not', async () => {
  const storage = drizzleStorage({ sql })
  const { id, organization_id, ...quotation } = sampleQuotation()
  await sql.begin(async (transaction) => {
    const within = storage.within(transaction)
    await within.quotations.accept({ ...quotation, id, organization_id }, null)
    expect(
      await Promise.all([
        within.quotations.find(organization_id, id),
        storage.quotations.find(organization_id, id),
      ]),
    ).toEqual([expect.objectContaining({ id }), 'unknown'])
  })
})

it('a failed statement fails all its look-ups', async () => {
  const storage = drizzleStorage({ sql, schema: 'not_there' })
  const ended = await Promise.allSettled(
    range(3).map(() => storage.quotations.find(randomUUID(), randomUUID())),
  )

  expect(ended).toEqual(
    range(3).map(() => ({
      status: 'rejected',
      reason: expect.objectContaining({ name: 'StorageError', code: '42P01' }),
    })),
  )
  expect(ended[0]).toMatchObject({ reason: expect.any(StorageError) })
})
