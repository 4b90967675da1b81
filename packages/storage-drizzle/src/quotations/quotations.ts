import type { NewQuotation, StepStatus } from '@quickquote/core'
import { isUuid, pipelineStatusOf, type QuotationStorage, scoped } from '@quickquote/core/internal'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { together } from '../connection/together.ts'
import { accept } from './acceptance.ts'
import { quotationList, summaryColumns } from './quotation-list.ts'
import { traceOf } from './trace-columns.ts'

/** Quotations, their progress and their proposals in PostgreSQL: see QuotationStorage. */
export function quotationStorage(database: Database): QuotationStorage {
  const { db, tables, schema } = database
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
  const quotationById = together(async (ids) => {
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
      // All that are under way are read: they are few, and an index on the time of their last report would be written
      // with each report.
      const stalled = await database.run<{ id: string }>(
        `select id from ${schema}.quotations
         where status in ('queued', 'running') and updated_at < $1 order by id limit $2`,
        [silentSince, limit],
      )
      return stalled.map(({ id }) => id)
    },

    async find(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      return scoped(await quotationById(id.toLowerCase()), organizationId)
    },

    ...quotationList(database),

    async findPipelineStatus(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const rows = await stepsById({ id: quotationId })
      const [first] = rows
      if (first === undefined) return 'unknown'
      const steps = rows.flatMap(({ step }) => step ?? [])
      return scoped({ ...first, found: pipelineStatusOf(first.state, steps) }, organizationId)
    },

    async findProposalOf(organizationId, quotationId) {
      if (!isUuid(quotationId)) return 'unknown'
      const [row] = await proposalByQuotation({ id: quotationId })
      return scoped(row, organizationId)
    },

    async findProposal(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      const [row] = await proposalById({ id })
      return scoped(row, organizationId)
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

/** One statement: a quote that was accepted has its files, and is sure to be started. */
async function insertQuotation({ run, schema }: Database, quotation: NewQuotation): Promise<void> {
  const { files } = quotation
  await run(
    `with quotation as (
       insert into ${schema}.quotations (id, organization_id, name, description, status, processed_step, source,
         config_id, api_key_id, requirements_text, metadata, created_at, updated_at, traceparent, tracestate)
       values ($1, $2, $3, $4, 'queued', 'none', $5, $6, $7, $8, $9::text::jsonb, $10, $10, $15, $16)
     ), files as (
       insert into ${schema}.quotation_files (quotation_id, id, name, type, size, position)
       select $1::uuid, file.*
       from unnest($11::uuid[], $12::text[], $13::text[], $14::bigint[]) with ordinality as file
     )
     insert into ${schema}.pipeline_starts (quotation_id, due_at) values ($1, $10)`,
    [
      quotation.id,
      quotation.organization_id,
      quotation.name,
      quotation.description,
      quotation.source,
      quotation.config_id,
      quotation.api_key_id,
      quotation.requirementsText,
      quotation.metadata === null ? null : JSON.stringify(quotation.metadata),
      quotation.created_at,
      files.map((file) => file.id),
      files.map((file) => file.name),
      files.map((file) => file.type),
      files.map((file) => file.size),
      quotation.trace?.traceparent ?? null,
      quotation.trace?.tracestate ?? null,
    ],
  )
}
