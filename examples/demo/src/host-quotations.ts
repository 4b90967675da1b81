import type {
  HostQuotation,
  HostQuotations,
  NewQuotation,
  Proposal,
  Quote,
  StepStatus,
} from '@quickquote/core'
import type { ISql, JSONValue, Sql, TransactionSql } from 'postgres'

/** The host's tables. A real host already has them, with more columns. */
export async function createQuotationTables(sql: ISql): Promise<void> {
  await sql`
    create table if not exists host.quotations (
      id uuid primary key,
      organization_id uuid not null,
      name text not null,
      description text not null,
      status text not null,
      processed_step text not null,
      source text not null,
      config_id uuid,
      external_id text,
      api_key_id uuid,
      requirements text,
      metadata jsonb,
      files jsonb not null,
      error_code text,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`
  await sql`
    create index if not exists quotations_newest on host.quotations (organization_id, created_at, id)`
  await sql`
    create table if not exists host.quotation_steps (
      quotation_id uuid not null references host.quotations (id) on delete cascade,
      step text not null,
      status text not null,
      started_at timestamptz(3) not null,
      completed_at timestamptz(3),
      error_code text,
      primary key (quotation_id, step)
    )`
  await sql`
    create table if not exists host.proposals (
      id uuid primary key,
      quotation_id uuid not null unique references host.quotations (id) on delete cascade,
      name text not null,
      status text not null,
      document_id uuid,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`
}

type QuotationRow = Omit<HostQuotation, 'steps' | 'proposal'>
type StepRow = StepStatus & { readonly quotation_id: string }

/** Connects the integrations to these tables: see HostQuotations. */
export function hostQuotations(sql: Sql): HostQuotations<TransactionSql> {
  return {
    transaction: (work) => sql.begin(work),

    async insert(quotation, tx) {
      const metadata = quotation.metadata && tx.json(quotation.metadata as JSONValue)
      const files = tx.json(quotation.files as unknown as JSONValue)
      await tx`insert into host.quotations ${tx({ ...rowOf(quotation), metadata, files })}`
    },

    async update({ quotation_id, organization_id, at, step, proposal, ...fields }, tx) {
      await tx`
        update host.quotations set ${tx({ ...fields, updated_at: at })}
        where id = ${quotation_id} and organization_id = ${organization_id}`
      if (step !== undefined) {
        const completed_at = step.status === 'running' ? null : at
        await tx`
          insert into host.quotation_steps ${tx({ ...step, quotation_id, started_at: at, completed_at })}
          on conflict (quotation_id, step) do update
          set status = excluded.status, completed_at = excluded.completed_at, error_code = excluded.error_code`
      }
      if (proposal !== undefined) {
        const row = { ...proposal, quotation_id, status: 'completed', created_at: at, updated_at: at }
        await tx`
          insert into host.proposals ${tx(row)}
          on conflict (quotation_id) do update
          set name = excluded.name, document_id = excluded.document_id, updated_at = excluded.updated_at`
      }
    },

    async find(ids, tx) {
      const on: ISql = tx ?? sql
      return whole(on, await on<QuotationRow[]>`select * from host.quotations where id in ${on(ids)}`)
    },

    async lock(id, tx) {
      const rows = await tx<QuotationRow[]>`select * from host.quotations where id = ${id} for update`
      return (await whole(tx, rows))[0] ?? null
    },

    async findByProposal(proposalId, tx) {
      const on: ISql = tx ?? sql
      const rows = await on<QuotationRow[]>`
        select * from host.quotations
        where id = (select quotation_id from host.proposals where id = ${proposalId})`
      return (await whole(on, rows))[0] ?? null
    },

    async findStalled(silentSince, limit) {
      const rows = await sql<{ id: string }[]>`
        select id from host.quotations
        where status in ('queued', 'running') and updated_at < ${silentSince} order by updated_at limit ${limit}`
      return rows.map(({ id }) => id)
    },

    findUpdatedAt: (ids) =>
      sql<Pick<HostQuotation, 'id' | 'updated_at'>[]>`
        select id, updated_at from host.quotations where id in ${sql(ids)}`,

    async cancel(organizationId, id, tx) {
      const [quote] = await tx<Quote[]>`
        select id, organization_id, name, description, config_id, external_id, source,
          requirements as "requirementsText", metadata, files
        from host.quotations where id = ${id} and organization_id = ${organizationId}`
      if (quote === undefined) throw new Error('The quotation to cancel is gone.')
      return quote
    },

    async erase(organizationId, id, tx) {
      await tx`
        delete from host.documents where quotation_id = ${id} and organization_id = ${organizationId}`
      const erased = await tx<Pick<Quote, 'files'>[]>`
        delete from host.quotations where id = ${id} and organization_id = ${organizationId} returning files`
      return erased.flatMap(({ files }) => files.map((file) => file.id))
    },

    async list(
      organizationId,
      { status, source, created_since, created_until, external_id },
      { after, limit },
    ) {
      const rows = await sql<QuotationRow[]>`
        select * from host.quotations
        where organization_id = ${organizationId}
          ${status === null ? sql`` : sql`and status = ${status}`}
          ${source === null ? sql`` : sql`and source = ${source}`}
          ${created_since === null ? sql`` : sql`and created_at >= ${created_since}`}
          ${created_until === null ? sql`` : sql`and created_at < ${created_until}`}
          ${external_id === null ? sql`` : sql`and external_id = ${external_id}`}
          ${after === null ? sql`` : sql`and (created_at, id) < (${after.created_at}, ${after.id})`}
        order by created_at desc, id desc limit ${limit}`
      return whole(sql, rows)
    },
  }
}

function rowOf({ requirementsText, files: _, trace: __, created_at, ...quotation }: NewQuotation) {
  const begun = { status: 'queued', processed_step: 'none', created_at, updated_at: created_at }
  return { ...quotation, requirements: requirementsText, ...begun }
}

/** Quotations with their steps and proposals. */
async function whole(sql: ISql, rows: readonly QuotationRow[]): Promise<HostQuotation[]> {
  if (rows.length === 0) return []
  const ids = sql(rows.map(({ id }) => id))
  const steps = await sql<StepRow[]>`select * from host.quotation_steps where quotation_id in ${ids}`
  const proposals = await sql<Proposal[]>`select * from host.proposals where quotation_id in ${ids}`
  return rows.map((quotation) => ({
    ...quotation,
    steps: steps.filter(({ quotation_id }) => quotation_id === quotation.id),
    proposal: proposals.find(({ quotation_id }) => quotation_id === quotation.id) ?? null,
  }))
}
