import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installed } from '@quickquote/dev-servers'
import { beforeAll, expect, it } from 'vitest'
import { ADAPTERS } from '../src/connection/adapters.ts'
import { HAS_LIBPQ, orms, PACKAGES } from './support/orms.ts'
import { useTransactions } from './support/transaction-samples.ts'

const context = useTransactions()
let folder: string

beforeAll(async () => {
  const { folder: made, remove } = await installed(PACKAGES)
  folder = made
  if (HAS_LIBPQ) spawnSync('npm', ['rebuild', 'libpq'], { cwd: folder })
  return remove
})

context.describeWithin(orms(() => folder))

/** The host's variables in the line for each client. */
const NAMES: Record<string, string> = {
  pg: "client: import('pg').PoolClient",
  Kysely: "trx: import('kysely').Transaction<object>",
  Knex: "trx: import('knex').Knex.Transaction",
  TypeORM: "manager: import('typeorm').EntityManager",
  Sequelize: "sequelize: import('sequelize').Sequelize, transaction: import('sequelize').Transaction",
  MikroORM: "em: import('@mikro-orm/postgresql').EntityManager",
  'pg-promise': "task: import('pg-promise').ITask<{}>",
  Orchid: "orchid: ReturnType<typeof import('orchid-orm/node-postgres').orchidORM>",
  Slonik: "connection: import('slonik').DatabaseTransactionConnection",
}

it('the documented lines are strict TypeScript', async () => {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
  const lines = ADAPTERS.filter(({ client }) => client in NAMES)
  expect(lines).toHaveLength(Object.keys(NAMES).length)
  const program = `import { CompiledQuery } from 'kysely'
import { sql as raw } from 'slonik'
import type { HostTransaction } from '${path('../dist/index.js')}'
declare const integrations: { within(transaction: HostTransaction): unknown }
${lines.map(({ client, adapter }) => `export function on${client.replace('-', '')}(${NAMES[client]}) {\n  integrations.within(${adapter})\n}`).join('\n')}
`
  await writeFile(join(folder, 'lines.ts'), program)
  const tsc = path('../../../node_modules/.bin/tsc')
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext']
  const { stdout } = spawnSync(tsc, [...options, join(folder, 'lines.ts')], { cwd: folder, encoding: 'utf8' })
  expect(stdout).toBe('')
})
