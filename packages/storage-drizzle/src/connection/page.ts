import type { PageRequest } from '@quickquote/core'
import { type Column, desc, type SQL, sql } from 'drizzle-orm'

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
