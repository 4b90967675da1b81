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
 * Looks for what would make the storage wrong on this database and these connections, without an error: to be called before
 * anything is migrated, and before anything is claimed.
 * @throws ConfigurationError with what to change
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
  // SQL_ASCII takes what is no text, and the others have no "…", which each key is shown with.
  if (encoding !== 'UTF8') {
    yield `The database "${name}" has the encoding ${encoding}, and UTF8 is needed. Make another one: ` +
      `create database … encoding 'UTF8' template template0.`
  }
  if (strangers !== null) {
    yield `The SQL schema "${schema}" was renamed: its functions still work on ${strangers}, whoever uses that now. Rename it ` +
      'back, or make its functions anew: see "Another name" in docs/guides/database.md.'
  }
  if (hidden !== null) {
    yield `Row-level security hides rows of ${hidden} from this role. Turn it off (alter table … disable row level ` +
      'security), or let the role see all rows (alter role … bypassrls).'
  }
  // A claim counts what others have committed while it waited for a lock.
  if (isolation !== 'read committed') {
    yield `These connections begin transactions with the isolation "${isolation}", and "read committed" is needed. For a client ` +
      "of your own: postgres(url, { connection: { default_transaction_isolation: 'read committed' } }). For the role: " +
      "alter role … set default_transaction_isolation = 'read committed'."
  }
}

/**
 * A function's body names the schema as it was when the function was made. What is quoted and no qualifier is text, mostly of a
 * comment.
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
