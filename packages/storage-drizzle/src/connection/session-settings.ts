/**
 * What our statements rely on, and what a server, a database or a role may set otherwise. Our own connections set them
 * when they are opened.
 */
export const SESSION_SETTINGS = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  // Rows that a policy hides are an error, not silence.
  row_security: 'off',
  search_path: 'pg_catalog',
  standard_conforming_strings: 'on',
} as const
