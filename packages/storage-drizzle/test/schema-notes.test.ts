import { getTableColumns, getTableName } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { EXPORT_PARTS } from '../../core/src/storage/export.ts'
import { createTables } from '../src/index.ts'
import { SCHEMA_NOTES } from '../src/schema-notes.ts'
import { openDatabase } from './support/database.ts'

const { sql } = await openDatabase()

const tables = createTables()
const notes = Object.entries(SCHEMA_NOTES)
  .map(([name, note]) => ({ ...note, table: getTableName(tables[name as keyof typeof tables]) }))
  .sort((a, b) => (a.table < b.table ? -1 : 1))

const IDS_TIMES_NUMBERS = [
  'uuid',
  'date',
  'timestamp with time zone',
  'bigint',
  'integer',
  'smallint',
  'boolean',
]

it('every column of the migrations that can hold a text has a note, and no other column has one', async () => {
  const columns = await sql<{ table: string; name: string }[]>`
    select relname as table, attname as name from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'quickquote'::regnamespace and relkind = 'r'
      and relname <> 'migrations' and format_type(atttypid, null) <> all (${IDS_TIMES_NUMBERS})`
  const states = Object.values(tables).flatMap((table) =>
    Object.values(getTableColumns(table))
      .filter(({ enumValues }) => enumValues !== undefined)
      .map(({ name }) => `${getTableName(table)}.${name}`),
  )
  const wanted = columns.map(({ table, name }) => `${table}.${name}`).filter((name) => !states.includes(name))
  const noted = notes.flatMap(({ table, columns = {} }) =>
    Object.keys(columns).map((name) => `${table}.${name}`),
  )
  // An id, but of what is gone.
  expect(noted.sort()).toEqual([...wanted, 'erased_organizations.organization_id'].sort())
})

it('every table with data of an organization is erased with it, and every part of an export has one table', () => {
  for (const { table, rows, erasedBy } of notes) {
    expect([table, erasedBy !== null]).toEqual([table, rows !== null])
  }
  const parts = notes.flatMap(({ rows }) =>
    rows === null || rows === 'cascade' ? [] : (rows.exported?.as ?? []),
  )
  expect(parts.sort()).toEqual([...EXPORT_PARTS].sort())
})

const exportedAs = ({ rows }: (typeof notes)[number]) => {
  if (rows === 'cascade') return 'with what it belongs to'
  return rows?.exported == null ? '' : `\`${rows.exported.as}\``
}

const HEADER = `# Data that we keep

Every table, with the columns that may hold personal data, text or secrets; all others hold IDs, times, numbers and states.
[Data](../guides/data.md) describes how they are removed. Your logs, backups and own tables are not included. An organization's export has the rows of the tables with a type there, without hashes of keys and
secrets. Written by \`pnpm run schema\` from \`schema-notes.ts\`.

| Table | Column | Holds | Kept | Erased by | Exported as |
| --- | --- | --- | --- | --- | --- |
`

it('the page in the documents matches the notes', async () => {
  const rows = notes.flatMap((note) => {
    const { table, kept, erasedBy, columns = {} } = note
    const told = Object.entries(columns).filter(([, holds]) => holds !== null)
    const lines = told.length === 0 ? [['', 'only IDs, times, numbers and states']] : told
    return lines.map(([column, holds]) =>
      ['', `\`${table}\``, column && `\`${column}\``, holds, kept, erasedBy ?? '', exportedAs(note), '']
        .join(' | ')
        .trim(),
    )
  })
  await expect(`${HEADER}${rows.join('\n')}\n`).toMatchFileSnapshot('../../../docs/reference/data.md')
})
