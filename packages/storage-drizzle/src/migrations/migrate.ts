import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { ConfigurationError } from '@quickquote/core'
import { checkDatabase } from '../connection/database-check.ts'
import { type Driver, run, type Statements } from '../connection/driver.ts'
import { MIGRATION } from '../connection/statement-timeout.ts'
import { DEFAULT_SCHEMA } from '../schema-name.ts'
import { maintenanceLock } from './maintenance-lock.ts'
import { makePartitions } from './partitions.ts'

/** The state of a database. It is up to date if nothing is `pending`. */
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

/** The state before a migration. */
interface Found {
  /** The owner of the SQL schema; null if there is no schema yet. */
  readonly owner: string | null
  /** Whether the connection can act as that role. */
  readonly mayActAsOwner: boolean
  readonly hasJournal: boolean
}

type Rows = Pick<Statements, 'rows'>

const FOLDER = new URL('../../migrations/', import.meta.url)

/** The first migration contains the functions, which have a file for each concern, in the order in which they refer to each other. */
const WITH_FUNCTIONS = '0001_initial.sql'
const FUNCTIONS = [
  'ids',
  'quotations',
  'feed',
  'hours',
  'history',
  'erasing',
  'keys',
  'catching-up',
  'round',
].map((concern) => `functions/${concern}.sql`)

/**
 * Applies pending migrations and creates the partitions of the coming days, in one transaction under an advisory lock:
 * any number of processes may start at once, and a failure or a crash changes nothing.
 * @throws ConfigurationError if a newer version has migrated the database, an applied migration was edited, or
 * `checkDatabase` finds a problem
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
 * The SQL that `migrate` would run now, as one script; null if nothing is pending. Changes nothing.
 * @throws ConfigurationError like `migrate`
 */
export async function migrationPlan(driver: Driver, schema: string): Promise<string | null> {
  await checkDatabase(driver, schema)
  const pending = pendingOf(await readJournal(driver, schema), await readMigrations())
  if (pending.length === 0) return null
  const found = await find(driver, schema)
  return `${[
    `-- Pending migrations of the SQL schema "${schema}": ${pending.map(({ name }) => name).join(', ')}.`,
    '-- Apply the whole file: psql --set ON_ERROR_STOP=1 --file FILE. If anything fails, nothing is changed.',
    'begin;',
    maintenanceLock(schema),
    ...actAsOwner(found),
    ...missing(schema, found, pending),
    makePartitions(schema),
    'commit;',
  ].join('\n')}\n`
}

/**
 * Returns applied and pending migrations. Changes nothing.
 * @throws ConfigurationError if a newer version has migrated the database, or an applied migration was edited
 */
export async function migrationStatus(driver: Driver, schema: string): Promise<MigrationStatus> {
  const applied = await readJournal(driver, schema)
  const pending = pendingOf(applied, await readMigrations())
  return { applied: applied.map(({ name }) => name), pending: pending.map(({ name }) => name) }
}

/** The migrations of this version in order, or those in another `folder`. */
export async function readMigrations(folder: URL = FOLDER): Promise<ShippedMigration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const files = name === WITH_FUNCTIONS ? [name, ...FUNCTIONS] : [name]
      const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
      // git and npm may change line endings; the migration is still the same.
      const text = texts.join('\n').replaceAll('\r\n', '\n')
      return { name, text, hash: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** The table of applied migrations. */
export function createJournal(schema: string): string {
  return `create table if not exists "${schema}".migrations (
  name text primary key,
  hash text not null,
  applied_at timestamptz(3) not null default now()
);`
}

/** A migration with its entry in the journal. */
export function applyMigration(schema: string, { name, hash, text }: ShippedMigration): string {
  return `
-- ${name}
${text.replaceAll(`"${DEFAULT_SCHEMA}"`, `"${schema}"`)}
insert into "${schema}".migrations (name, hash) values ('${name}', '${hash}');
`
}

function missing(schema: string, found: Found, pending: readonly ShippedMigration[]): string[] {
  return [
    // "if not exists" would require the right to create schemas even if the schema exists.
    ...(found.owner === null ? [`create schema "${schema}";`] : []),
    ...(found.hasJournal ? [] : [createJournal(schema)]),
    ...pending.map((migration) => applyMigration(schema, migration)),
  ]
}

/** Everything belongs to the owner of the schema, whichever role migrates. */
function actAsOwner({ owner }: Found): string[] {
  return owner === null ? [] : [`set local role "${owner.replaceAll('"', '""')}";`]
}

/** The applied migrations must be the first ones of the package. */
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
        `The migration ${name} differs from the one applied to the database. Migrations are never edited: ` +
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
