import type { QuotationStatus, Source } from '@quickquote/core'
import { QUOTATION_STATUSES, type QuotationStorage } from '@quickquote/core/internal'
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { firstIdOf } from '../deliveries/delivery-id.ts'
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
 * Lists quotations: see QuotationStorage. Ids begin with the time of `created_at`, so they give the order of the list,
 * and its time bounds. Indexes hold the ids by organization and source; without a source, the lists of both are merged.
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
