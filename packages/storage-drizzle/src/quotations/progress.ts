import { isUuid, type QuotationStorage } from '@quickquote/core/internal'
import { and, eq } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { traceOf } from './trace-columns.ts'

/** For the report of a step: serializes reports until the transaction ends. */
export async function lockProgress(
  { db, tables }: Database,
  quotationId: string,
): ReturnType<QuotationStorage['lockProgress']> {
  const { quotations, quotationSteps, proposals } = tables
  const { id, organization_id, name, source, status, updated_at, traceparent, tracestate } = quotations
  if (!isUuid(quotationId)) return null
  const [row] = await db
    .select({
      quotation_id: id,
      ...readable({ updated_at }),
      ...{ organization_id, name, source, status, traceparent, tracestate },
    })
    .from(quotations)
    .where(eq(id, quotationId))
    .for('no key update')
  if (row === undefined) return null
  // A separate statement: the one that waited for the lock still sees the steps from before.
  const rows = await db
    .select({
      step: { step: quotationSteps.step, status: quotationSteps.status },
      proposal: { id: proposals.id, name: proposals.name, document_id: proposals.document_id },
    })
    .from(quotations)
    .leftJoin(quotationSteps, eq(quotationSteps.quotation_id, id))
    .leftJoin(proposals, eq(proposals.quotation_id, id))
    .where(eq(id, quotationId))
  const { traceparent: _, tracestate: __, ...quotation } = row
  return {
    ...quotation,
    trace: traceOf(row),
    steps: rows.flatMap(({ step }) => step ?? []),
    proposal: rows[0]?.proposal ?? null,
  }
}

export async function saveProgress(
  database: Database,
  ...[organizationId, quotationId, change, now]: Parameters<QuotationStorage['saveProgress']>
): Promise<void> {
  const { quotations, quotationSteps, proposals } = database.tables
  const { id, organization_id } = quotations
  await database.transaction(async ({ db }) => {
    const [saved] = await db
      .update(quotations)
      .set({
        status: change.status,
        // Undefined columns are not changed.
        processed_step: change.processed_step,
        error_code: change.error_code,
        updated_at: now,
      })
      .where(and(eq(id, quotationId), eq(organization_id, organizationId)))
      .returning({ id })
    if (saved === undefined) return
    if (change.step !== undefined) {
      const ended = { ...change.step, completed_at: change.step.status === 'running' ? null : now }
      await db
        .insert(quotationSteps)
        .values({ ...ended, quotation_id: quotationId, started_at: now })
        .onConflictDoUpdate({ target: [quotationSteps.quotation_id, quotationSteps.step], set: ended })
    }
    if (change.proposal !== undefined) {
      const { name, document_id } = change.proposal
      await db
        .insert(proposals)
        .values({
          ...change.proposal,
          organization_id: organizationId,
          quotation_id: quotationId,
          status: 'completed',
          created_at: now,
          updated_at: now,
        })
        .onConflictDoUpdate({
          target: proposals.quotation_id,
          set: { name, document_id, updated_at: now },
        })
    }
  })
}
