import type { StepStatus } from '@quickquote/core'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { batched } from '../connection/batched.ts'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { summaryColumns } from './quotation-list.ts'

/** The most frequent queries of partners, each built once. The caller must check the organization of the row. */
export function quotationLookups(database: Database) {
  const { quotations, quotationSteps, proposals } = database.tables
  const { id, organization_id, name, status, processed_step, error_code, updated_at } = quotations
  const state = readable({ id, status, processed_step, error_code, updated_at })
  const { organization_id: _, ...ofProposal } = getTableColumns(proposals)
  const proposal = readable(ofProposal)
  const step = {
    step: quotationSteps.step,
    ...readable({ started_at: quotationSteps.started_at, completed_at: quotationSteps.completed_at }),
    // Columns of one statement need distinct names: some drivers return rows as objects.
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

  return { quotationById, namesById, stepsById, proposalByQuotation, proposalById }
}
