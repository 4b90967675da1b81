import { createHash } from 'node:crypto'
import { ConfigurationError } from '@quickquote/core'
import { type Driver, MIGRATION, type Statements } from '../connection/driver.ts'
import { runnerOn } from '../connection/run.ts'
import type { Row } from '../connection/statement.ts'
import { DEFAULT_SCHEMA } from '../schema-name.ts'
import { checkDatabase } from './database-check.ts'
import { FIND_SCHEMA, READ_JOURNAL } from './migrations.sql.ts'

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
type Found = Row<typeof FIND_SCHEMA.columns>

/**
 * The functions, a file for each concern, in the order in which they refer to each other. They come after the last
 * migration, and are applied again whenever one has changed. The journal has an entry for each version of them, so that
 * an older version of the package does not bring its own back.
 */
const FUNCTIONS = ['ids', 'quotations', 'feed', 'hours', 'history', 'erasing', 'keys', 'catching-up', 'round']
const isFunctions = ({ name }: AppliedMigration) => name.startsWith('functions ')

/**
 * Applies pending migrations, in one transaction under an advisory lock: any number of processes may start at once, and
 * a failure or a crash changes nothing.
 * @throws ConfigurationError if a newer version has migrated the database, an applied migration was edited, or
 * `checkDatabase` finds a problem
 */
export async function migrate(driver: Driver, schema: string): Promise<MigrationStatus> {
  const shipped = await readMigrations()
  return driver.begin(async (transaction) => {
    await transaction.script(maintenanceLock(schema))
    await checkDatabase(transaction, schema)
    const found = await find(transaction, schema)
    const pending = pendingOf(await readJournal(transaction, schema, found), shipped)
    const statements = [
      ...(found.may_act_as_owner ? actAsOwner(found) : []),
      ...missing(schema, found, pending),
    ]
    for (const statement of statements.flatMap(statementsOf)) await transaction.script(statement)
    return { applied: shipped.map(({ name }) => name), pending: [] }
  }, MIGRATION)
}

/**
 * The SQL that `migrate` would run now, as one script; null if nothing is pending. Changes nothing.
 * @throws ConfigurationError like `migrate`
 */
export async function migrationPlan(driver: Driver, schema: string): Promise<string | null> {
  await checkDatabase(driver, schema)
  const found = await find(driver, schema)
  const pending = pendingOf(await readJournal(driver, schema, found), await readMigrations())
  if (pending.length === 0) return null
  return `${[
    `-- Pending migrations of the SQL schema "${schema}": ${pending.map(({ name }) => name).join(', ')}.`,
    '-- Apply the whole file: psql --set ON_ERROR_STOP=1 --file FILE. If anything fails, nothing is changed.',
    'begin;',
    maintenanceLock(schema),
    ...actAsOwner(found),
    ...missing(schema, found, pending),
    'commit;',
  ].join('\n')}\n`
}

/**
 * Returns applied and pending migrations. Changes nothing.
 * @throws ConfigurationError if a newer version has migrated the database, or an applied migration was edited
 */
export async function migrationStatus(driver: Driver, schema: string): Promise<MigrationStatus> {
  const shipped = await readMigrations()
  const pending = pendingOf(await readJournal(driver, schema, await find(driver, schema)), shipped)
  const namesOf = (migrations: readonly ShippedMigration[]) => migrations.map(({ name }) => name)
  return {
    applied: namesOf(shipped.filter((each) => !pending.includes(each))),
    pending: namesOf(pending),
  }
}

/** The migrations of this version in order, and its functions; or those in other `files`. */
export async function readMigrations(files?: Readonly<Record<string, string>>): Promise<ShippedMigration[]> {
  // Not when the package is imported: few processes migrate.
  const texts = files ?? (await import('#migrations')).files
  const names = Object.keys(texts).filter((name) => !name.includes('/'))
  const functions = FUNCTIONS.map((concern) => {
    const text = texts[`functions/${concern}.sql`]
    if (text === undefined) throw new Error(`The functions of ${concern} are missing.`)
    return text
  })
  const text = functions.join('\n')
  return [
    ...names.sort().map((name) => shippedAs(name, texts[name] ?? '')),
    shippedAs(`functions ${hashOf(text).slice(0, 12)}`, text),
  ]
}

function shippedAs(name: string, text: string): ShippedMigration {
  return { name, text, hash: hashOf(text) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
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

/** The statements of a script. Each ends with a line, outside `$$ … $$`. */
function statementsOf(script: string): string[] {
  const statements = ['']
  for (const [index, part] of script.split('$$').entries()) {
    const [first = '', ...others] = index % 2 === 1 ? [`$$${part}$$`] : part.split(/(?<=;)\n/)
    statements.push(`${statements.pop()}${first}`, ...others)
  }
  return statements.filter((statement) => statement.trim() !== '')
}

function missing(schema: string, found: Found, pending: readonly ShippedMigration[]): string[] {
  return [
    // "if not exists" would require the right to create schemas even if the schema exists.
    ...(found.owner === null ? [`create schema "${schema}";`] : []),
    ...(found.has_journal ? [] : [createJournal(schema)]),
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
  const migrations = applied.filter((each) => !isFunctions(each))
  for (const [index, { name, hash }] of migrations.entries()) {
    if (shipped[index]?.name !== name) throw migratedByNewer(`has the migration ${name}`)
    if (shipped[index].hash !== hash) {
      throw new ConfigurationError(
        `The migration ${name} differs from the one applied to the database. Migrations are never edited: ` +
          'reinstall @quickquote/storage-drizzle.',
      )
    }
  }
  const functions = applied.filter(isFunctions)
  const isCurrent = ({ name }: AppliedMigration) => functions.at(-1)?.name === name
  const replaced = shipped.find(
    (each) => !isCurrent(each) && functions.some(({ name }) => name === each.name),
  )
  if (replaced !== undefined) throw migratedByNewer(`has ${functions.at(-1)?.name}`)
  return shipped.slice(migrations.length).filter((each) => !isCurrent(each))
}

function migratedByNewer(what: string): ConfigurationError {
  return new ConfigurationError(
    `The database ${what}, which this version of @quickquote/storage-drizzle does not know: ` +
      'a newer version has migrated it. Update the package.',
  )
}

function find(statements: Pick<Statements, 'values'>, schema: string): Promise<Found> {
  return runnerOn(statements, `"${schema}"`).one(FIND_SCHEMA)
}

async function readJournal(
  statements: Pick<Statements, 'values'>,
  schema: string,
  { has_journal }: Found,
): Promise<AppliedMigration[]> {
  return has_journal ? runnerOn(statements, `"${schema}"`).run(READ_JOURNAL) : []
}

/**
 * Until the transaction ends, no other process can migrate this SQL schema or remove its expired rows. The lock belongs
 * to the transaction, so it works behind a pooler, and a dead process cannot keep it.
 */
function maintenanceLock(schema: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('${schema} maintenance', 0));`
}
