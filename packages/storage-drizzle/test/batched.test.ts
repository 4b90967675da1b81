import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { drizzleStorage, StorageError } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { MANY_KEYS, sampleApiKey, sampleAuditEntry, sampleQuotation } from './support/samples.ts'

/** The statements sent to the database. */
let statements: string[] = []

const { sql } = await openDatabase({ sql: { debug: (_, text) => statements.push(text) } })

const sent = (text: string) => statements.filter((statement) => statement.includes(text))

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
  expect(sent('any (')).toHaveLength(1)
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
  expect(sent('any (')).toHaveLength(3)
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

/** An organization that is being erased. */
async function erasedOrganization(): Promise<string> {
  const organization_id = randomUUID()
  await drizzleStorage({ sql }).erasure.begin(organization_id, {
    keepAuditLog: false,
    entry: sampleAuditEntry({ organization_id }),
    now: new Date(),
  })
  return organization_id
}

const ACCEPTED = { status: 'fulfilled', value: { kind: 'accepted' } }
const ERASED = { status: 'rejected', reason: expect.objectContaining({ code: 'ORGANIZATION_ERASED' }) }

it('concurrent starts share statements of up to twenty, and each keeps its own fields', async () => {
  const storage = drizzleStorage({ sql })
  const quotations = range(30).map((index) =>
    sampleQuotation({ name: `Quotation ${index}`, metadata: { index }, trace: null }),
  )

  await Promise.all(quotations.map((quotation) => storage.quotations.accept(quotation, null)))

  expect(sent('.quotations (id')).toHaveLength(2)
  const found = await Promise.all(
    quotations.map((each) => storage.quotations.find(each.organization_id, each.id)),
  )
  expect(found).toEqual(
    quotations.map(({ id, name, metadata }) => expect.objectContaining({ id, name, metadata })),
  )
})

it('a start that is refused fails no other of the same moment', async () => {
  const storage = drizzleStorage({ sql })
  const erased = sampleQuotation({ organization_id: await erasedOrganization() })
  const others = [sampleQuotation(), sampleQuotation()] as const
  statements = []

  const ended = await Promise.allSettled(
    [others[0], erased, others[1]].map((quotation) => storage.quotations.accept(quotation, null)),
  )

  expect(ended).toEqual([ACCEPTED, ERASED, ACCEPTED])
  const isThere = [others[0], erased, others[1]].map(
    async ({ organization_id, id }) => (await storage.quotations.find(organization_id, id)) !== 'unknown',
  )
  expect(await Promise.all(isThere)).toEqual([true, false, true])
  // One together, then each by itself.
  expect(sent('.quotations (id')).toHaveLength(4)
})

it('in a transaction of the host, each start is a statement of its own, so that its error is', async () => {
  const storage = drizzleStorage({ sql })
  const erased = sampleQuotation({ organization_id: await erasedOrganization() })
  statements = []

  const rolledBack = sql.begin(async (transaction) => {
    const { quotations } = storage.within(transaction)
    expect(
      await Promise.allSettled([quotations.accept(erased, null), quotations.accept(sampleQuotation(), null)]),
    ).toEqual([
      ERASED,
      { status: 'rejected', reason: expect.objectContaining({ name: 'StorageError', code: '25P02' }) },
    ])
    throw new Error('rolled back')
  })

  await expect(rolledBack).rejects.toThrow('rolled back')
  expect(sent('.quotations (id')).toHaveLength(2)
})

it('a failed statement fails all its starts, which are not repeated', async () => {
  const storage = drizzleStorage({ sql, schema: 'not_there' })

  const ended = await Promise.allSettled(
    range(3).map(() => storage.quotations.accept(sampleQuotation(), null)),
  )

  const reason = expect.objectContaining({ name: 'StorageError', code: '42P01' })
  expect(ended).toEqual(range(3).map(() => ({ status: 'rejected', reason })))
  expect(sent('.quotations (id')).toHaveLength(1)
})
