import type { ErasureStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { ERASE_HISTORY, FIND_ERASED } from './erasure.sql.ts'

/** Erasing in PostgreSQL: see ErasureStorage. What is history is changed by functions of the schema's owner. */
export function erasureStorage({ run, wake }: Database): ErasureStorage {
  return {
    async eraseHistory(organizationId, quotationId, since) {
      const [erased] = await run(ERASE_HISTORY, {
        organization_id: organizationId,
        quotation_id: quotationId,
        since,
      })
      // Workers look whether something they run was erased.
      await wake()
      return erased ?? { events: 0, deliveries: 0, attempts: 0 }
    },

    async findErased(quotations) {
      if (quotations.length === 0) return new Set()
      const erased = await run(FIND_ERASED, {
        ids: quotations.map(({ id }) => id),
        organization_ids: quotations.map(({ organization_id }) => organization_id),
      })
      return new Set(erased.map(({ id }) => id))
    },
  }
}
