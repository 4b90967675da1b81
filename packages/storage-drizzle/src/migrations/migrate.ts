import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { ConfigurationError } from '@quickquote/core'
import { checkDatabase } from '../connection/database-check.ts'
import { type Driver, run, type Statements } from '../connection/driver.ts'
import { MIGRATION } from '../connection/statement-timeout.ts'
import { DEFAULT_SCHEMA } from '../schema-name.ts'
import { maintenanceLock } from './maintenance-lock.ts'
import { makePartitions } from './partitions.ts'

/** Where a database stands. Nothing is `pending` when it fits this version of the package. */
export interface MigrationStatus {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

interface AppliedMigration {
  readonly name: string
  readonly hash: string
}

export interface ShippedMigration extends AppliedMigration {
  readonly text: string
}

/** What is there before a migration. */
interface Found {
  /** The role that owns the SQL schema; null when there is no schema yet. */
  readonly owner: string | null
  /** Whether the connection may act as that role. */
  readonly mayActAsOwner: boolean
  readonly hasJournal: boolean
}

type Rows = Pick<Statements, 'rows'>

const FOLDER = new URL('../../migrations/', import.meta.url)

/**
 * Brings the SQL schema to what this version of the package needs, and makes the day partitions of the coming days. All
 * of it is one transaction under an advisory lock: any number of processes may start at once, and a failure, or the death
 * of the process, leaves nothing behind.
 * @throws ConfigurationError when a newer version has migrated the database, a migration was edited after it was applied, or
 * `checkDatabase` finds a fault
 */
export async function migrate(driver: Driver, schema: string): Promise<MigrationStatus> {
  const shipped = await readMigrations()
  return driver.begin(async (transaction) => {
    await transaction.script(maintenanceLock(schema))
    await checkDatabase(transaction, schema)
    const found = await find(transaction, schema)
    const pending = pendingOf(await readJournal(transaction, schema), shipped)
    const statements = [
      ...(found.mayActAsOwner ? actAsOwner(found) : []),
      ...missing(schema, found, pending),
      makePartitions(schema),
    ]
    for (const statement of statements) await transaction.script(statement)
    return { applied: shipped.map(({ name }) => name), pending: [] }
  }, MIGRATION)
}

/**
 * The SQL that `migrate` would run now, as one script for somebody else to apply; null when nothing is missing. Changes
 * nothing.
 * @throws ConfigurationError what `migrate` throws
 */
export async function migrationPlan(driver: Driver, schema: string): Promise<string | null> {
  await checkDatabase(driver, schema)
  const pending = pendingOf(await readJournal(driver, schema), await readMigrations())
  if (pending.length === 0) return null
  const found = await find(driver, schema)
  return `${[
    `-- What the SQL schema "${schema}" lacks: ${pending.map(({ name }) => name).join(', ')}.`,
    '-- Apply the whole file: psql --set ON_ERROR_STOP=1 --file FILE. Whatever fails, nothing of it stays.',
    'begin;',
    maintenanceLock(schema),
    ...actAsOwner(found),
    ...missing(schema, found, pending),
    makePartitions(schema),
    'commit;',
  ].join('\n')}\n`
}

/**
 * Tells what was applied and what is missing. Changes nothing.
 * @throws ConfigurationError when a newer version has migrated the database, or a migration was edited after it was applied
 */
export async function migrationStatus(driver: Driver, schema: string): Promise<MigrationStatus> {
  const applied = await readJournal(driver, schema)
  const pending = pendingOf(applied, await readMigrations())
  return { applied: applied.map(({ name }) => name), pending: pending.map(({ name }) => name) }
}

/** The migrations of this version of the package, in their order; those of another one for its `folder`. */
export async function readMigrations(folder: URL = FOLDER): Promise<ShippedMigration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      // Line endings may change on the way through git and npm; the migration is still the same.
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, hash: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** The table that tells what was applied. */
export function createJournal(schema: string): string {
  return `create table if not exists "${schema}".migrations (
  name text primary key,
  hash text not null,
  applied_at timestamptz(3) not null default now()
);`
}

/** One migration and its entry in the journal. */
export function applyMigration(schema: string, { name, hash, text }: ShippedMigration): string {
  return `
-- ${name}
${text.replaceAll(`"${DEFAULT_SCHEMA}"`, `"${schema}"`)}
insert into "${schema}".migrations (name, hash) values ('${name}', '${hash}');
`
}

function missing(schema: string, found: Found, pending: readonly ShippedMigration[]): string[] {
  return [
    // "if not exists" would ask for the right to create schemas even when there is nothing to create.
    ...(found.owner === null ? [`create schema "${schema}";`] : []),
    ...(found.hasJournal ? [] : [createJournal(schema)]),
    ...pending.map((migration) => applyMigration(schema, migration)),
  ]
}

/** Whoever migrates, what comes into being belongs to the one role that owns the rest. */
function actAsOwner({ owner }: Found): string[] {
  return owner === null ? [] : [`set local role "${owner.replaceAll('"', '""')}";`]
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

async function find(statements: Rows, schema: string): Promise<Found> {
  const [row] = await run<{ owner: string; member: boolean }>(
    statements,
    `select pg_get_userbyid(nspowner) as owner, pg_has_role(nspowner, 'member') as member
     from pg_namespace where nspname = '${schema}'`,
  )
  return {
    owner: row?.owner ?? null,
    mayActAsOwner: row?.member === true,
    hasJournal: await journalExists(statements, schema),
  }
}

async function readJournal(statements: Rows, schema: string): Promise<AppliedMigration[]> {
  if (!(await journalExists(statements, schema))) return []
  return run<AppliedMigration>(statements, `select name, hash from "${schema}".migrations order by name`)
}

async function journalExists(statements: Rows, schema: string): Promise<boolean> {
  const [row] = await run<{ found: boolean }>(
    statements,
    `select to_regclass('"${schema}".migrations') is not null as found`,
  )
  return row?.found === true
}
