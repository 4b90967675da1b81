import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { ConfigurationError } from '@quickquote/core'
import type postgres from 'postgres'
import { lockMaintenance } from './maintenance-lock.ts'
import { createPartitions } from './partitions.ts'
import { DEFAULT_SCHEMA } from './tables.ts'

/** Where a database stands. Nothing is `pending` when it fits this version of the package. */
export interface MigrationStatus {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

interface AppliedMigration {
  readonly name: string
  readonly hash: string
}

interface ShippedMigration extends AppliedMigration {
  readonly text: string
}

const FOLDER = new URL('../migrations/', import.meta.url)

/**
 * Brings the SQL schema to what this version of the package needs, and makes the day partitions of the coming days. All
 * of it is one transaction under an advisory lock: any number of processes may start at once, and a failure leaves
 * nothing behind.
 * @throws ConfigurationError when a newer version has migrated the database, or a migration was edited after it was applied
 */
export async function migrate(sql: postgres.Sql, schema: string): Promise<MigrationStatus> {
  const shipped = await readMigrations()
  return sql.begin(async (transaction) => {
    await lockMaintenance(transaction, schema)
    await createJournal(transaction, schema)
    const applied = await readJournal(transaction, schema)
    const pending = pendingOf(applied, shipped)
    for (const { name, hash, text } of pending) {
      await transaction.unsafe(text.replaceAll(`"${DEFAULT_SCHEMA}"`, `"${schema}"`))
      await transaction.unsafe(`insert into "${schema}".migrations (name, hash) values ($1, $2)`, [
        name,
        hash,
      ])
    }
    await createPartitions(transaction, schema)
    return { applied: shipped.map(({ name }) => name), pending: [] }
  })
}

/**
 * Tells what was applied and what is missing. Changes nothing.
 * @throws ConfigurationError when a newer version has migrated the database, or a migration was edited after it was applied
 */
export async function migrationStatus(sql: postgres.Sql, schema: string): Promise<MigrationStatus> {
  const applied = await readJournal(sql, schema)
  const pending = pendingOf(applied, await readMigrations())
  return { applied: applied.map(({ name }) => name), pending: pending.map(({ name }) => name) }
}

async function readMigrations(): Promise<ShippedMigration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      // Line endings may change on the way through git and npm; the migration is still the same.
      const text = (await readFile(new URL(name, FOLDER), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, hash: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** What was applied must be the beginning of what is shipped. */
function pendingOf(
  applied: readonly AppliedMigration[],
  shipped: readonly ShippedMigration[],
): readonly ShippedMigration[] {
  for (const [index, { name, hash }] of applied.entries()) {
    if (shipped[index]?.name !== name) {
      throw new ConfigurationError(
        `The database has the migration ${name}, which this version of @quickquote/storage-drizzle does not know: ` +
          'a newer version has migrated it. Update the package.',
      )
    }
    if (shipped[index].hash !== hash) {
      throw new ConfigurationError(
        `The migration ${name} is not the one that was applied to the database. Migrations are never edited: ` +
          'reinstall @quickquote/storage-drizzle.',
      )
    }
  }
  return shipped.slice(applied.length)
}

async function createJournal(transaction: postgres.ISql, schema: string): Promise<void> {
  // "if not exists" would ask for the right to create schemas even when there is nothing to create.
  if (!(await exists(transaction, `to_regnamespace('"${schema}"')`))) {
    await transaction.unsafe(`create schema "${schema}"`)
  }
  if (!(await journalExists(transaction, schema))) {
    await transaction.unsafe(`create table "${schema}".migrations (
      name text primary key,
      hash text not null,
      applied_at timestamptz(3) not null default now()
    )`)
  }
}

async function readJournal(sql: postgres.ISql, schema: string): Promise<AppliedMigration[]> {
  if (!(await journalExists(sql, schema))) return []
  return sql.unsafe<AppliedMigration[]>(`select name, hash from "${schema}".migrations order by name`)
}

function journalExists(sql: postgres.ISql, schema: string): Promise<boolean> {
  return exists(sql, `to_regclass('"${schema}".migrations')`)
}

async function exists(sql: postgres.ISql, expression: string): Promise<boolean> {
  const [row] = await sql.unsafe<{ found: boolean }[]>(`select ${expression} is not null as found`)
  return row?.found === true
}
