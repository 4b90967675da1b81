import type { NewQuotation } from '@quickquote/core'
import { isUuid, ownedBy, pipelineStatusOf, type QuotationStorage } from '@quickquote/core/internal'
import { eq } from 'drizzle-orm'
import { batchedInserts } from '../connection/batched.ts'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { accept } from './acceptance.ts'
import { lockProgress, saveProgress } from './progress.ts'
import { quotationList } from './quotation-list.ts'
import { quotationLookups } from './quotation-lookups.ts'
import { ERASE_QUOTATION, FIND_CHANGED, FIND_STALLED, INSERT_QUOTATIONS } from './quotations.sql.ts'

/** See QuotationStorage. */
export function quotationStorage(database: Database): QuotationStorage {
  const { quotations } = database.tables
  const { quotationById, namesById, stepsById, proposalByQuotation, proposalById } =
    quotationLookups(database)

  const insertTogether = batchedInserts<NewQuotation>((all) => insertQuotations(database, all))

  return {
    accept: (quotation, idempotency) =>
      accept(database, quotation, idempotency, (on) =>
        on.isTransaction ? insertQuotations(on, [quotation]) : insertTogether(quotation),
      ),

    async findStalled(silentSince, limit) {
      const stalled = await database.run(FIND_STALLED, { silent_since: silentSince, limit })
      return stalled.map(({ id }) => id)
    },

    async find(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      return ownedBy(await quotationById(id.toLowerCase()), organizationId)
    },

    ...quotationList(database),

    async findChanged(seen) {
      const changed = await database.run(FIND_CHANGED, {
        organization_ids: seen.map(({ organization_id }) => organization_id),
        ids: seen.map(({ id }) => id),
        updated_at: seen.map(({ updated_at }) => updated_at.toISOString()),
      })
      return new Set(changed.map(({ position }) => Number(position) - 1))
    },

    async findPipelineStatus(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const rows = await stepsById({ id: quotationId })
      const [first] = rows
      if (first === undefined) return 'unknown'
      const steps = rows.flatMap(({ step }) => step ?? [])
      return ownedBy({ ...first, found: pipelineStatusOf(first.state, steps) }, organizationId)
    },

    async findProposalOf(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const [row] = await proposalByQuotation({ id: quotationId })
      return ownedBy(row, organizationId)
    },

    async findProposal(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      const [row] = await proposalById({ id })
      return ownedBy(row, organizationId)
    },

    async findNames(organizationId, ids) {
      if (ids.length === 0) return new Map()
      const rows = await namesById({ ids: [...ids], organizationId })
      return new Map(rows.map((row) => [row.id, row.name]))
    },

    lockProgress: (quotationId) => lockProgress(database, quotationId),

    async lockForErasing(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const [row] = await database.db
        .select(readable({ organization_id: quotations.organization_id, created_at: quotations.created_at }))
        .from(quotations)
        .where(eq(quotations.id, quotationId))
        .for('update')
      return ownedBy(row && { ...row, found: { created_at: row.created_at } }, organizationId)
    },

    async erase(organizationId, quotationId) {
      const files = await database.run(ERASE_QUOTATION, { organization_id: organizationId, id: quotationId })
      return files.map((file) => file.id)
    },

    saveProgress: (...change) => saveProgress(database, ...change),
  }
}

async function insertQuotations({ run }: Database, quotations: readonly NewQuotation[]): Promise<void> {
  await run(INSERT_QUOTATIONS, { quotations: JSON.stringify(quotations.map(rowOf)) })
}

function rowOf({ requirementsText, trace, ...quotation }: NewQuotation) {
  return { requirements_text: requirementsText, ...trace, ...quotation }
}
