/**
 * Settings that our statements rely on, and that a server, database or role may change. Our own connections set them
 * when they open.
 */
export const SESSION_SETTINGS = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  // Rows hidden by a policy are an error.
  row_security: 'off',
  search_path: 'pg_catalog',
  standard_conforming_strings: 'on',
} as const
