import type { NewQuotation, StepStatus } from '@quickquote/core'
import { isUuid, ownedBy, pipelineStatusOf, type QuotationStorage } from '@quickquote/core/internal'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { batched } from '../connection/batched.ts'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { accept } from './acceptance.ts'
import { quotationList, summaryColumns } from './quotation-list.ts'
import { ERASE_QUOTATION, FIND_STALLED, INSERT_QUOTATION } from './quotations.sql.ts'
import { traceOf } from './trace-columns.ts'

/** Quotations, their progress and their proposals in PostgreSQL: see QuotationStorage. */
export function quotationStorage(database: Database): QuotationStorage {
  const { db, tables } = database
  const { quotations, quotationSteps, proposals } = tables
  const { id, organization_id, name, status, processed_step, source } = quotations
  const { error_code, updated_at, traceparent, tracestate } = quotations
  const state = readable({ id, status, processed_step, error_code, updated_at })
  const { organization_id: _, ...ofProposal } = getTableColumns(proposals)
  const proposal = readable(ofProposal)
  const step = {
    step: quotationSteps.step,
    ...readable({ started_at: quotationSteps.started_at, completed_at: quotationSteps.completed_at }),
    // Columns of one statement need names of their own: some drivers give rows as objects.
    status: sql<StepStatus['status']>`${quotationSteps.status}`.as('step_status'),
    error_code: sql<string | null>`${quotationSteps.error_code}`.as('step_error_code'),
  }
  const byId = eq(id, sql.placeholder('id'))

  const quotationsById = database.prepared((on) =>
    on
      .select({ organization_id, found: summaryColumns(quotations) })
      .from(quotations)
      .where(sql`${id} = any (${sql.placeholder('ids')}::uuid[])`),
  )
  const quotationById = batched(async (ids) => {
    const rows = await quotationsById({ ids })
    return new Map(rows.map((row) => [row.found.id, row]))
  })
  const namesById = database.prepared((on) =>
    on
      .select({ id, name })
      .from(quotations)
      .where(
        and(
          sql`${id} = any (${sql.placeholder('ids')}::uuid[])`,
          eq(organization_id, sql.placeholder('organizationId')),
        ),
      ),
  )
  const stepsById = database.prepared((on) =>
    on
      .select({ organization_id, state, step })
      .from(quotations)
      .leftJoin(quotationSteps, eq(quotationSteps.quotation_id, id))
      .where(byId),
  )
  const proposalByQuotation = database.prepared((on) =>
    on
      .select({ organization_id, found: proposal })
      .from(quotations)
      .leftJoin(proposals, eq(proposals.quotation_id, id))
      .where(byId),
  )
  const proposalById = database.prepared((on) =>
    on
      .select({ organization_id: proposals.organization_id, found: proposal })
      .from(proposals)
      .where(eq(proposals.id, sql.placeholder('id'))),
  )

  return {
    accept: (quotation, idempotency) =>
      accept(database, quotation, idempotency, (on) => insertQuotation(on, quotation)),

    async findStalled(silentSince, limit) {
      const stalled = await database.run(FIND_STALLED, { silent_since: silentSince, limit })
      return stalled.map(({ id }) => id)
    },

    async find(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      return ownedBy(await quotationById(id.toLowerCase()), organizationId)
    },

    ...quotationList(database),

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

    async lockProgress(quotationId) {
      if (!isUuid(quotationId)) return null
      const [row] = await db
        .select({ quotation_id: id, organization_id, name, source, status, traceparent, tracestate })
        .from(quotations)
        .where(eq(id, quotationId))
        .for('no key update')
      if (row === undefined) return null
      // A statement of its own: the one that waited for the lock still sees the steps as they were before it waited.
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
    },

    async lockForErasing(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const [row] = await db
        .select(readable({ organization_id, created_at: quotations.created_at }))
        .from(quotations)
        .where(eq(id, quotationId))
        .for('update')
      return ownedBy(row && { ...row, found: { created_at: row.created_at } }, organizationId)
    },

    async erase(organizationId, quotationId) {
      const files = await database.run(ERASE_QUOTATION, { organization_id: organizationId, id: quotationId })
      return files.map((file) => file.id)
    },

    async saveProgress(organizationId, quotationId, change, now) {
      await database.transaction(async ({ db }) => {
        const [saved] = await db
          .update(quotations)
          .set({
            status: change.status,
            // What is undefined stays as it is.
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
    },
  }
}

async function insertQuotation({ run }: Database, quotation: NewQuotation): Promise<void> {
  const { id, organization_id, name, description, source, config_id, api_key_id, created_at } = quotation
  const { files, metadata, trace } = quotation
  await run(INSERT_QUOTATION, {
    ...{ id, organization_id, name, description, source, config_id, api_key_id, created_at },
    requirements_text: quotation.requirementsText,
    metadata: metadata === null ? null : JSON.stringify(metadata),
    traceparent: trace?.traceparent ?? null,
    tracestate: trace?.tracestate ?? null,
    file_ids: files.map((file) => file.id),
    file_names: files.map((file) => file.name),
    file_types: files.map((file) => file.type),
    file_sizes: files.map((file) => file.size),
  })
}
