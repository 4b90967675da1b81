import type postgres from 'postgres'

/** Settings of a server, role, database or host that change how PostgreSQL writes or reads values, or what a statement sees. */
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

/** Restores the settings that the tests' own client needs. */
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

/** Applies to all later sessions, and to nothing else. */
export async function setForDatabase(sql: postgres.Sql, settings: readonly string[]): Promise<void> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`alter database "${row?.name}" reset all`)
  for (const setting of settings) await sql.unsafe(`alter database "${row?.name}" set ${setting}`)
}

/** Applies to one transaction of a host. */
export function setLocally(settings: readonly string[]): string[] {
  return settings
    .map((setting) => setting.replace('default_transaction_isolation', 'transaction_isolation'))
    .map((setting) => `set local ${setting}`)
}
