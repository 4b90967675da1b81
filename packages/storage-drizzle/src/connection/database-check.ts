import { ConfigurationError } from '@quickquote/core'
import { run, type Statements } from './driver.ts'

interface Found {
  readonly name: string
  readonly encoding: string
  readonly isolation: string
  readonly strangers: string | null
  readonly hidden: string | null
}

/**
 * Finds settings of the database or the connections that would silently break the storage. Call it before migrating or
 * claiming.
 * @throws ConfigurationError that says what to change
 */
export async function checkDatabase(statements: Pick<Statements, 'rows'>, schema: string): Promise<void> {
  const [found] = await run<Found>(statements, statement(schema))
  if (found === undefined) return
  for (const fault of faultsOf(found, schema)) throw new ConfigurationError(fault)
}

function* faultsOf(
  { name, encoding, isolation, strangers, hidden }: Found,
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

/**
 * A function's body contains the name of the schema at its creation. Anything quoted without being a qualifier is text,
 * usually a comment.
 */
function statement(schema: string): string {
  const literal = `'${schema}'`
  return `select current_database() as name, current_setting('server_encoding') as encoding,
    current_setting('default_transaction_isolation') as isolation,
    (select string_agg(distinct named[1], ', ') from pg_catalog.pg_proc cross join lateral
       regexp_matches(prosrc, '("[a-z_][a-z0-9_]*")(?:[.][a-z_]|''::reg)', 'g') as match (named)
     where pronamespace = to_regnamespace(${literal}) and named[1] <> '"${schema}"') as strangers,
    (select string_agg(relname, ', ' order by relname) from pg_catalog.pg_class
     where relnamespace = to_regnamespace(${literal}) and relkind in ('r', 'p') and row_security_active(oid)) as hidden`
}
