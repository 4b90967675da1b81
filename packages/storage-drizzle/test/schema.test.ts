import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'

const { sql } = await openDatabase()

const HEADER = `-- What the migrations make, as the catalogs of PostgreSQL have it: read it to see the whole, and in reviews what a migration
-- changes. Nobody runs it. Written by "pnpm run schema".
`

it('the migrations make what schema.sql shows', async () => {
  const dump = `${HEADER}\n${await dumpSchema(sql, 'quickquote')}`
  await expect(dump).toMatchFileSnapshot('../schema.sql')
})
