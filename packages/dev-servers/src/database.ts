import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

const DUPLICATE_DATABASE = '42P04'

/**
 * Copying files costs half the CPU time, but two checkpoints, which are cheap only without fsync. Before 15 there is no
 * other.
 */
const STRATEGY = `CASE WHEN current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000
  THEN 'STRATEGY file_copy' ELSE '' END`

/** A real PostgreSQL server. */
export interface Postgres {
  /** The connection string of its main database. It contains a password: keep it out of logs. */
  readonly url: string
  /**
   * Creates a database and returns its connection string, also if it exists. Default name: random. `template` is the
   * database to copy.
   */
  createDatabase(name?: string, options?: { template?: string }): Promise<string>
  /** Releases everything. Safe to call again. */
  stop(): Promise<void>
}

/**
 * Creates a database on the server and returns its connection string, also if it exists.
 *
 * @param serverUrl Any database of the server; the user needs CREATEDB.
 * @param options.name Default: a random name that starts with `quickquote_test_`.
 * @param options.template The database to copy, without connections. Default: PostgreSQL's `template1`.
 */
export function createDatabase(
  serverUrl: string,
  options: NewDatabase = {},
): Promise<{ url: string; name: string; created: boolean }> {
  return withConnection(serverUrl, (sql) => createWith(sql, serverUrl, options))
}

/** Drops a database with its open connections, if it exists. */
export function dropDatabase(serverUrl: string, name: string): Promise<void> {
  return withConnection(serverUrl, (sql) => dropWith(sql, name))
}

interface NewDatabase {
  readonly name?: string | undefined
  readonly template?: string | undefined
}

async function createWith(sql: postgres.Sql, serverUrl: string, options: NewDatabase) {
  const { name = `quickquote_test_${randomBytes(6).toString('hex')}`, template = 'template1' } = options
  const url = new URL(serverUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  try {
    const [strategy] = await sql<{ clause: string }[]>`SELECT ${sql.unsafe(STRATEGY)} AS clause`
    await sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} ${sql.unsafe(strategy?.clause ?? '')}`
    return { url: url.href, name, created: true }
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === DUPLICATE_DATABASE)
      return { url: url.href, name, created: false }
    throw error
  }
}

async function dropWith(sql: postgres.Sql, name: string): Promise<void> {
  await sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`
}

export interface TestDatabase {
  readonly url: string
  /** Drops the database with its open connections. */
  drop(): Promise<void>
}

/**
 * Creates a database with a random name, so that test files are isolated.
 *
 * @param options.template The database to copy, without connections. Default: empty.
 */
export async function testDatabase(
  serverUrl: string,
  options: { template?: string } = {},
): Promise<TestDatabase> {
  const sql = keptConnection(serverUrl)
  const { url, name } = await createWith(sql, serverUrl, options)
  return { url, drop: () => dropWith(sql, name) }
}

const kept = new Map<string, postgres.Sql>()

/** One for all test files of a process: a connection costs 10 ms of CPU time. */
function keptConnection(serverUrl: string): postgres.Sql {
  const known = kept.get(serverUrl)
  if (known !== undefined) return known
  const sql = connect(serverUrl, { idle_timeout: 5 })
  kept.set(serverUrl, sql)
  return sql
}

async function withConnection<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url)
  try {
    return await use(sql)
  } finally {
    await sql.end()
  }
}

function connect(url: string, options: { idle_timeout?: number } = {}): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined, ...options })
}
