import { randomUUID } from 'node:crypto'
import * as schema from '@quickquote/storage-drizzle/schema'
import { eq, relations } from 'drizzle-orm'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { createTables } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { openPgPool } from './support/hosts.ts'
import { sampleQuotation } from './support/samples.ts'

const { url, sql, storage } = await openDatabase({ sql: { onnotice() {} } })

/** A table of the host, and its relation to ours. */
const reviews = pgTable('reviews', {
  quotation_id: uuid('quotation_id').notNull(),
  note: text('note').notNull(),
})
const reviewsRelations = relations(reviews, ({ one }) => ({
  quotation: one(schema.quotations, {
    fields: [reviews.quotation_id],
    references: [schema.quotations.id],
  }),
}))
const ofHost = { ...schema, reviews, reviewsRelations }

const pool = openPgPool(url)
const client = postgres(url)
const DATABASES = {
  'node-postgres': drizzleOnPg(pool, { schema: ofHost }),
  'postgres.js': drizzleOnPostgresJs(client, { schema: ofHost }),
}

const metadata = { crm: [1, { a: 'b' }] }
const quotation = sampleQuotation({
  metadata,
  files: [{ id: randomUUID(), name: 'roof.pdf', type: 'pdf', size: 7 }],
})
const { id, organization_id, created_at } = quotation

beforeAll(async () => {
  await sql`create table reviews (quotation_id uuid not null, note text not null)`
  await sql`insert into reviews values (${id}, 'Well done.')`
  await storage.uploads.record({ id: quotation.files[0]?.id ?? '', organization_id }, created_at)
  await storage.quotations.accept(quotation, null)
  const now = new Date()
  const [requirement_analysis, proposal] = ['requirement_analysis', randomUUID()] as const
  await storage.quotations.saveProgress(
    organization_id,
    id,
    {
      status: 'running',
      processed_step: requirement_analysis,
      step: { step: requirement_analysis, status: 'completed', error_code: null },
      proposal: { id: proposal, name: 'Roof', document_id: null },
    },
    now,
  )
})

afterAll(async () => {
  await pool.end()
  await client.end()
})

describe.each(Object.entries(DATABASES))("the tables, in a host's drizzle on %s", (_, db) => {
  it('can be joined with a table of the host', async () => {
    const rows = await db
      .select({
        note: reviews.note,
        status: schema.quotations.status,
        metadata: schema.quotations.metadata,
        created_at: schema.quotations.created_at,
      })
      .from(reviews)
      .innerJoin(schema.quotations, eq(schema.quotations.id, reviews.quotation_id))
    expect(rows).toEqual([{ note: 'Well done.', status: 'running', metadata, created_at }])
  })

  it("support relations among themselves and with the host's", async () => {
    const [review] = await db.query.reviews.findMany({
      with: {
        quotation: {
          columns: { id: true, name: true, metadata: true },
          with: { steps: { columns: { step: true } }, files: { columns: { name: true } }, proposal: true },
        },
      },
    })
    expect(review).toMatchObject({
      note: 'Well done.',
      quotation: {
        id,
        metadata,
        steps: [{ step: 'requirement_analysis' }],
        files: [{ name: 'roof.pdf' }],
        proposal: { name: 'Roof', quotation_id: id },
      },
    })
    expectTypeOf(review?.quotation?.proposal?.name).toEqualTypeOf<string | undefined>()
  })

  it('encode JSON once', async () => {
    const ours = eq(schema.quotations.metadata, metadata)
    await db.update(schema.quotations).set({ metadata }).where(ours)
    expect(await sql`select id from quickquote.quotations where metadata = ${sql.json(metadata)}`).toEqual([
      { id },
    ])
    expect(await db.$count(schema.quotations, ours)).toBe(1)
  })
})

it('the tables of the default schema are complete', () => {
  const names = Object.keys(schema).filter((name) => !/Relations$|^createTables$/.test(name))
  expect(names.sort()).toEqual(Object.keys(createTables()).sort())
})
