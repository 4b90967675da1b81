import type { QuotationStatus, Source } from '@quickquote/core'
import { QUOTATION_STATUSES, type QuotationStorage } from '@quickquote/core/internal'
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { firstIdOf } from '../deliveries/delivery-id.ts'
import type { Tables } from '../schema.ts'

/** In the statement itself, since an index of quotations that failed, or have not ended, serves no parameter. */
const IN_STATUS = Object.fromEntries(
  QUOTATION_STATUSES.map((status) => [status, sql.raw(`'${status}'`)]),
) as Record<QuotationStatus, SQL>

/** What a summary has. */
export function summaryColumns({
  id,
  name,
  description,
  status,
  processed_step,
  source,
  config_id,
  error_code,
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
    metadata,
    created_at,
    updated_at,
  })
}

/**
 * Lists quotations in PostgreSQL: see QuotationStorage. An id begins with the time of `created_at`, so the order of ids is the
 * order of the list, and bounds of time are bounds of ids. Indexes have the ids by organization and source; without a
 * source the lists of both are merged.
 */
export function quotationList({ db, tables: { quotations } }: Database): Pick<QuotationStorage, 'list'> {
  const summary = summaryColumns(quotations)
  return {
    async list(organizationId, { status, source, created_since, created_until }, { after, limit }) {
      const ofSource = (each: Source) =>
        db
          .select(summary)
          .from(quotations)
          .where(
            and(
              eq(quotations.organization_id, organizationId),
              eq(quotations.source, each),
              status === null ? undefined : eq(quotations.status, IN_STATUS[status]),
              created_since === null ? undefined : gte(quotations.id, firstIdOf(created_since)),
              created_until === null ? undefined : lt(quotations.id, firstIdOf(created_until)),
              after === null ? undefined : lt(quotations.id, after.id),
            ),
          )
          .orderBy(desc(quotations.id))
          .limit(limit)
      if (source !== null) return ofSource(source)
      const [ui, apiKey] = [ofSource('ui'), ofSource('api_key')]
      return unionAll(ui, apiKey).orderBy(desc(quotations.id)).limit(limit)
    },
  }
}
