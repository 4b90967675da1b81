import type { QuotationStatus, Source } from '@quickquote/core'
import { QUOTATION_STATUSES, type QuotationStorage } from '@quickquote/core/internal'
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { FIRST_UUID, firstIdOf } from '../deliveries/delivery-id.ts'
import type { Tables } from '../schema.ts'

/** Literals, because partial indexes of failed and of open quotations do not match a parameter. */
const IN_STATUS = Object.fromEntries(
  QUOTATION_STATUSES.map((status) => [status, sql.raw(`'${status}'`)]),
) as Record<QuotationStatus, SQL>

/** The columns of a summary. */
export function summaryColumns({
  id,
  name,
  description,
  status,
  processed_step,
  source,
  config_id,
  error_code,
  external_id,
  metadata,
  created_at,
  updated_at,
}: Tables['quotations']) {
  return readable({
    id,
    name,
    description,
    status,
    processed_step,
    source,
    config_id,
    error_code,
    external_id,
    metadata,
    created_at,
    updated_at,
  })
}

/** Behind all ids: a bound where none is asked for, so that one statement serves every page. */
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Lists quotations: see QuotationStorage. Ids begin with the time of `created_at`, so they give the order of the list,
 * and its time bounds. Indexes hold the ids by organization and source; without a source, the lists of both are merged.
 */
export function quotationList({
  prepared,
  tables: { quotations },
}: Database): Pick<QuotationStorage, 'list'> {
  const summary = summaryColumns(quotations)
  /** The few quotations with an external ID are found by it, not among all failed ones. */
  const UNINDEXED = sql`${quotations.status} || ''`

  /** Built once for each combination: building takes longer than reading a page. */
  function listOf(status: QuotationStatus | null, source: Source | null, hasExternalId: boolean) {
    return prepared((on) => {
      const ofSource = (each: Source) =>
        on
          .select(summary)
          .from(quotations)
          .where(
            and(
              eq(quotations.organization_id, sql.placeholder('organizationId')),
              eq(quotations.source, each),
              hasExternalId ? eq(quotations.external_id, sql.placeholder('externalId')) : undefined,
              status === null
                ? undefined
                : sql`${hasExternalId ? UNINDEXED : quotations.status} = ${IN_STATUS[status]}`,
              gte(quotations.id, sql.placeholder('from')),
              lt(quotations.id, sql.placeholder('before')),
            ),
          )
          .orderBy(desc(quotations.id))
          .limit(sql.placeholder('limit'))
      if (source !== null) return ofSource(source)
      return unionAll(ofSource('ui'), ofSource('api_key'))
        .orderBy(desc(quotations.id))
        .limit(sql.placeholder('limit'))
    })
  }

  const lists = new Map<string, ReturnType<typeof listOf>>()

  return {
    async list(
      organizationId,
      { status, source, created_since, created_until, external_id: externalId },
      { after, limit },
    ) {
      const name = `${status} ${source} ${externalId !== null}`
      const list = lists.get(name) ?? listOf(status, source, externalId !== null)
      lists.set(name, list)
      const until = created_until === null ? LAST_UUID : firstIdOf(created_until)
      return list({
        organizationId,
        from: created_since === null ? FIRST_UUID : firstIdOf(created_since),
        before: after !== null && after.id < until ? after.id : until,
        limit,
        ...(externalId !== null && { externalId }),
      })
    },
  }
}
