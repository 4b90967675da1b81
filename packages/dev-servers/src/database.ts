import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

const DUPLICATE_DATABASE = '42P04'

/** Copying files costs half the CPU time, but two checkpoints, which are cheap only without fsync. Before 15 there is no other. */
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
export async function createDatabase(
  serverUrl: string,
  options: { name?: string | undefined; template?: string | undefined } = {},
): Promise<{ url: string; name: string; created: boolean }> {
  const { name = `quickquote_test_${randomBytes(6).toString('hex')}`, template = 'template1' } = options
  const created = await withConnection(serverUrl, async (sql) => {
    try {
      const [strategy] = await sql<{ clause: string }[]>`SELECT ${sql.unsafe(STRATEGY)} AS clause`
      await sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} ${sql.unsafe(strategy?.clause ?? '')}`
      return true
    } catch (error) {
      if (error instanceof postgres.PostgresError && error.code === DUPLICATE_DATABASE) return false
      throw error
    }
  })
  const url = new URL(serverUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  return { url: url.href, name, created }
}

/** Drops a database with its open connections, if it exists. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withConnection(serverUrl, (sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`)
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
  const { url, name } = await createDatabase(serverUrl, options)
  return { url, drop: () => dropDatabase(serverUrl, name) }
}

async function withConnection<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await use(sql)
  } finally {
    await sql.end()
  }
}
