import type { PageRequest } from '@quickquote/core'
import type { Parameters } from './run.ts'

/**
 * Conditions of the filters that are given; null: any. Each combination is a statement of its own, which PostgreSQL plans
 * with the index that serves it.
 */
export function given<Filter extends object>(
  filter: Filter,
  conditions: { readonly [Name in keyof Filter]?: string },
): string {
  return Object.entries(conditions)
    .filter(([name]) => filter[name as keyof Filter] !== null)
    .map(([, condition]) => ` and ${condition}`)
    .join('')
}

/** The rows after the position of a page. */
export const AFTER = '(created_at, id) < ($after_at::timestamptz, $after_id::uuid)'

/**
 * The order of every paginated list: an index on (…, created_at desc, id desc) serves it, and `AFTER`. Qualified, because
 * the selected time is a text.
 */
export function newestFirst(table: string): string {
  return `${table}.created_at desc, ${table}.id desc`
}

export function pageParameters({ after, limit }: PageRequest): Parameters {
  return { after_at: after?.created_at ?? null, after_id: after?.id ?? null, limit }
}
