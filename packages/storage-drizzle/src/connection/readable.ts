import type { PageRequest, TraceContext } from '@quickquote/core'
import { type Column, desc, is, type SQL, sql } from 'drizzle-orm'
import { type PgColumn, PgTimestamp } from 'drizzle-orm/pg-core'

/**
 * Conversion of times, bytes and JSON. How PostgreSQL sends a `timestamptz` or a `bytea` depends on the session
 * (DateStyle, TimeZone, bytea_output), which may be the host's, and the host's client may rename JSON fields. So all
 * three are selected as text that nothing changes.
 */

/** Milliseconds since 1970. An SQL expression; `toDate` reads it. */
export function millisOf(expression: string): string {
  return `(extract(epoch from ${expression}) * 1000)::bigint::text`
}

/**
 * @throws RangeError for an invalid time: comparisons with it would always be false
 */
export function toDate(millis: string): Date
export function toDate(millis: string | null): Date | null
export function toDate(millis: string | null): Date | null {
  if (millis === null) return null
  const date = new Date(Number(millis))
  if (Number.isNaN(date.getTime())) throw new RangeError('The database returned an unreadable time.')
  return date
}

/**
 * The same columns for a drizzle `select` or `returning`, with correct values in every session. Do not use them in
 * conditions.
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

interface Listed {
  readonly created_at: Column
  readonly id: Column
}

/** Matches the rows after the position, newest first; all rows if there is none. */
export function isAfter({ created_at, id }: Listed, after: PageRequest['after']): SQL | undefined {
  if (after === null) return undefined
  return sql`(${created_at}, ${id}) < (${after.created_at.toISOString()}::timestamptz, ${after.id}::uuid)`
}

/** The order of every paginated list. An index on (…, created_at desc, id desc) serves both. */
export function newestFirst({ created_at, id }: Listed): SQL[] {
  return [desc(created_at), desc(id)]
}

/** The trace of a row. */
interface TraceColumns {
  readonly traceparent: string | null
  readonly tracestate: string | null
}

export function traceOf({ traceparent, tracestate }: TraceColumns): TraceContext | null {
  return traceparent === null ? null : { traceparent, tracestate }
}
