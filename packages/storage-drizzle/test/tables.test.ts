import { getTableColumns } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { createTables } from '../src/index.ts'
import { openDatabase } from './support/database.ts'

const { sql } = await openDatabase()

it('createTables() has exactly the tables and columns of the migrations', async () => {
  const migrated = await sql`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, a.atthasdef as has_default,
      coalesce(a.attnum = any (i.indkey), false) as in_primary_key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'quickquote'::regnamespace and c.relkind = 'r'
      and c.relname <> 'migrations'
    order by c.relname collate "C", a.attname collate "C"`

  expect(describeTables()).toEqual([...migrated])
})

function describeTables() {
  return Object.values(createTables())
    .flatMap((table) => {
      const { name: tableName, primaryKeys } = getTableConfig(table)
      const composite = primaryKeys.flatMap((key) => key.columns.map((column) => column.name))
      return Object.entries(getTableColumns(table)).map(([key, column]) => {
        // The storage passes core's rows to drizzle unchanged.
        expect(column.name).toBe(key)
        return {
          table: tableName,
          name: column.name,
          type: column.getSQLType().replace('timestamp (', 'timestamp('),
          required: column.notNull,
          has_default: column.hasDefault,
          in_primary_key: column.primary || composite.includes(column.name),
        }
      })
    })
    .sort((a, b) => compare(a.table, b.table) || compare(a.name, b.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
