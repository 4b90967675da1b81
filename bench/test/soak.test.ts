import postgres from 'postgres'
import { expect, inject, it } from 'vitest'
import { slopeOf } from '../src/soak/slope.ts'
import { countStatements } from '../src/soak/statement-counter.ts'

it('counts the prepared statements of a connection, however its messages are split', async () => {
  const counter = await countStatements(inject('postgresUrl'))
  const sql = postgres(counter.url, { max: 1, onnotice() {} })
  await sql`select 1`
  await sql`select 2`
  await sql`select length(${'x'.repeat(1_000_000)})`
  await sql`select 2`
  // The driver has one itself.
  const [session] = await sql.unsafe('select count(*)::int as statements from pg_prepared_statements')
  const statements = session?.['statements']
  expect(statements).toBeGreaterThanOrEqual(3)
  expect(counter.count()).toEqual({ connections: 1, statements, mostOfOne: statements })
  await sql.end()
  await expect.poll(() => counter.count().connections).toBe(0)
  await counter.stop()
})

it('the slope is that of the straight line through the points', () => {
  const line = Array.from({ length: 10 }, (_, x) => [x, 3 + 2 * x] as const)
  expect(slopeOf(line)).toBeCloseTo(2)
  expect(slopeOf(line.map(([x]) => [x, 7]))).toBe(0)
  expect(slopeOf([])).toBe(0)
})
