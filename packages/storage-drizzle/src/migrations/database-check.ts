import { ConfigurationError } from '@quickquote/core'
import type { Statements } from '../connection/driver.ts'
import { runnerOn } from '../connection/run.ts'
import type { Row } from '../connection/statement.ts'
import { FIND_FAULTS, READ_VERSION } from './migrations.sql.ts'

/** What `version()` says where it is not PostgreSQL that we talk to. */
const LOOK_ALIKES: Readonly<Record<string, RegExp>> = {
  CockroachDB: /CockroachDB/,
  YugabyteDB: /-YB-/,
  'Amazon Redshift': /Redshift/,
  Greenplum: /Greenplum/,
  // PostgreSQL also says with what it was compiled.
  'Aurora DSQL or Spanner': /^PostgreSQL [0-9.]+$/,
  'not PostgreSQL': /^(?!PostgreSQL [0-9])/,
}

/**
 * Call it before anything else: a look-alike accepts most statements, and loses events because its locks or isolation
 * differ.
 * @throws ConfigurationError for an engine that only resembles PostgreSQL, with its name
 */
export async function checkEngine(statements: Pick<Statements, 'values'>): Promise<void> {
  const { version } = await runnerOn(statements, '').one(READ_VERSION)
  const found = Object.entries(LOOK_ALIKES).find(([, pattern]) => pattern.test(version))
  if (found === undefined) return
  throw new ConfigurationError(
    `The database is ${found[0]}, according to version(). PostgreSQL is required: others may lose events. ` +
      'See docs/guides/engines.md. To use it anyway, set anyEngine: true, or --any-engine on the command line.',
  )
}

/**
 * Finds settings of the database or the connections that would silently break the storage. Call it before migrating or
 * claiming.
 * @throws ConfigurationError that says what to change
 */
export async function checkDatabase(statements: Pick<Statements, 'values'>, schema: string): Promise<void> {
  const found = await runnerOn(statements, `"${schema}"`).one(FIND_FAULTS)
  for (const fault of faultsOf(found, schema)) throw new ConfigurationError(fault)
}

function* faultsOf(
  { name, encoding, isolation, strangers, hidden }: Row<typeof FIND_FAULTS.columns>,
  schema: string,
): Generator<string> {
  // SQL_ASCII accepts invalid text, and other encodings lack the "…" in displayed keys.
  if (encoding !== 'UTF8') {
    yield `The database "${name}" has the encoding ${encoding}, but UTF8 is required. Create another one: ` +
      `create database … encoding 'UTF8' template template0.`
  }
  if (strangers !== null) {
    yield `The SQL schema "${schema}" was renamed, but its functions still use ${strangers}. Rename it ` +
      'back, or recreate its functions: see "Renaming the schema" in docs/guides/database.md.'
  }
  if (hidden !== null) {
    yield `Row-level security hides rows of ${hidden} from this role. Turn it off (alter table … disable row level ` +
      'security), or let the role see all rows (alter role … bypassrls).'
  }
  // A claim counts rows that others committed while it waited for a lock.
  if (isolation !== 'read committed') {
    yield `These connections begin transactions with the isolation "${isolation}", but "read committed" is required. With ` +
      "your own client: postgres(url, { connection: { default_transaction_isolation: 'read committed' } }). For the role: " +
      "alter role … set default_transaction_isolation = 'read committed'."
  }
}
