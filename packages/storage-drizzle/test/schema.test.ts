import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'

const { sql } = await openDatabase()

const HEADER = `-- The result of the migrations, read from PostgreSQL's catalogs: for an overview, and for reviews of migrations. Never executed.
-- Written by "pnpm run schema".
`

it('schema.sql matches the migrations', async () => {
  const dump = `${HEADER}\n${await dumpSchema(sql, 'quickquote')}`
  await expect(dump).toMatchFileSnapshot('../schema.sql')
})
