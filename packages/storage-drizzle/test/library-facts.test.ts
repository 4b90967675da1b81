import { getTableColumns } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { webhookEndpoints } from '../src/schema.ts'

/**
 * The facts of decision 0021. If one of these fails, drizzle has changed for the better: read the decision again, and use more
 * of it.
 */

it('drizzle 0.45 changes how the client that it gets reads times', () => {
  const client = postgres('postgres://127.0.0.1:1/none')
  const before = client.options.parsers[1184]
  drizzle({ client })
  expect(client.options.parsers[1184]).not.toBe(before)
})

it('drizzle 0.45 gives out the text of a query, but not how to read its rows', () => {
  const query = drizzle.mock().select(getTableColumns(webhookEndpoints)).from(webhookEndpoints)
  expect(Object.keys(query.toSQL())).toEqual(['sql', 'params'])
  const rows = [['as the client returns them']]
  expect(query.prepare('list').mapResult(rows)).toBe(rows)
})
