import type postgres from 'postgres'

/**
 * What a server, a role, a database or a host may set, each of which changes how PostgreSQL writes or reads values, or
 * what a statement sees.
 */
export const HOSTILE_SETTINGS = [
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `timezone = 'Asia/Kolkata'`,
  `bytea_output = 'escape'`,
  `array_nulls = off`,
  `extra_float_digits = -15`,
  `standard_conforming_strings = off`,
  `xmloption = 'document'`,
  `search_path = 'nowhere'`,
  `default_transaction_isolation = 'serializable'`,
]

/** Brings back, for one client, what tests need to read for themselves. */
export const PLAIN_SETTINGS = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  array_nulls: 'on',
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
} as const

/** For every session that begins from now on, and nothing else. */
export async function setForDatabase(sql: postgres.Sql, settings: readonly string[]): Promise<void> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`alter database "${row?.name}" reset all`)
  for (const setting of settings) await sql.unsafe(`alter database "${row?.name}" set ${setting}`)
}

/** For one transaction of a host. */
export function setLocally(settings: readonly string[]): string[] {
  return settings
    .map((setting) => setting.replace('default_transaction_isolation', 'transaction_isolation'))
    .map((setting) => `set local ${setting}`)
}
