import { is, sql } from 'drizzle-orm'
import { type PgColumn, PgTimestamp } from 'drizzle-orm/pg-core'

/**
 * How times, bytes and JSON are read. What PostgreSQL sends for a `timestamptz` or a `bytea` depends on the session (DateStyle,
 * TimeZone, bytea_output), and the session may be the host's, whose client may rename the fields of JSON. So all three are
 * turned into text that nothing changes.
 */

/** Milliseconds since 1970. An SQL expression; `toDate` reads it. */
export function millisOf(expression: string): string {
  return `(extract(epoch from ${expression}) * 1000)::bigint::text`
}

/** @throws RangeError for what is no time: it would compare as if it were never over */
export function toDate(millis: string): Date
export function toDate(millis: string | null): Date | null
export function toDate(millis: string | null): Date | null {
  if (millis === null) return null
  const date = new Date(Number(millis))
  if (Number.isNaN(date.getTime())) throw new RangeError('The database sent a time that cannot be read.')
  return date
}

/**
 * The same columns for a `select` or a `returning` of drizzle: what comes back is what the columns hold. For nothing else: in
 * a condition the columns themselves are needed.
 */
export function readable<T extends Readonly<Record<string, PgColumn>>>(columns: T): T {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, read(column)])) as T
}

function read(column: PgColumn) {
  if (is(column, PgTimestamp)) {
    return sql`(extract(epoch from ${column}) * 1000)::bigint::text`
      .mapWith((millis: string) => toDate(millis))
      .as(column.name)
  }
  if (column.getSQLType() === 'bytea') {
    return sql`encode(${column}, 'hex')`.mapWith((hex: string) => Buffer.from(hex, 'hex')).as(column.name)
  }
  if (column.getSQLType() === 'jsonb') {
    return sql`${column}::text`.mapWith((json: string) => JSON.parse(json)).as(column.name)
  }
  return column
}
