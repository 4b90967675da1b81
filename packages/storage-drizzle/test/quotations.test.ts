import { randomUUID } from 'node:crypto'
import { STEPS } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { sampleQuotation } from './support/samples.ts'

const { url, sql } = await openDatabase()
/** Two processes of one host. */
const processes = [integrationsOn(url), integrationsOn(url)] as const

afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()))
})

async function startQuotation(): Promise<string> {
  const quotation = sampleQuotation()
  await processes[0].storage.quotations.accept(quotation, null)
  return quotation.id
}

async function eventsOf(quotationId: string): Promise<string[]> {
  const rows =
    await sql`select type from quickquote.events where quotation_id = ${quotationId} order by created_at`
  return rows.map((row) => row['type'])
}

describe('quotations.accept', () => {
  it('writes quotation, files and start order, or none of them', async () => {
    const id = randomUUID()
    const file = { id: randomUUID(), name: 'a.pdf', type: 'pdf' as const, size: 1 }
    const quotation = sampleQuotation({ id, files: [file, file] })
    const { organization_id, created_at } = quotation
    await processes[0].storage.uploads.record({ id: file.id, organization_id }, created_at)

    await expect(processes[0].storage.quotations.accept(quotation, null)).rejects.toMatchObject({
      errors: [{ pointer: '/files' }],
    })

    expect(await processes[0].storage.quotations.find(quotation.organization_id, id)).toBe('unknown')
    expect(await sql`select from quickquote.pipeline_starts where quotation_id = ${id}`).toHaveLength(0)
    expect(await sql`select from quickquote.uploads where id = ${file.id}`).toHaveLength(1)
  })
})

describe('concurrent reports', () => {
  it('from several processes, of the same step: one is recorded, the others change nothing', async () => {
    const id = await startQuotation()
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        processes[index % 2]?.pipeline(id).stepCompleted('requirement_analysis'),
      ),
    )

    expect(await eventsOf(id)).toEqual(['quotation.requirement_analysis.completed'])
  })

  it('wait for each other, and the later one sees the rows of the earlier one', async () => {
    const id = await startQuotation()
    const proposalId = randomUUID()
    for (const step of ['requirement_analysis', 'functional_specification', 'work_breakdown'] as const) {
      await processes[0].pipeline(id).stepCompleted(step)
    }
    await processes[0].pipeline(id).stepCompleted('effort_estimation')

    let later: Promise<unknown> | undefined
    await sql.begin(async (transaction) => {
      await processes[0].within(transaction).pipeline(id).proposalReady({ documentId: proposalId })
      later = processes[1].pipeline(id).proposalReady()
      await expect.poll(() => lockWaiters(sql)).toBeGreaterThan(0)
    })
    await later

    expect((await eventsOf(id)).filter((type) => type === 'quotation.proposal.completed')).toHaveLength(1)
    expect(await sql`select document_id from quickquote.proposals where quotation_id = ${id}`).toEqual([
      { document_id: proposalId },
    ])
  })

  it('of different quotations do not wait', async () => {
    const [one, other] = [await startQuotation(), await startQuotation()]
    await sql.begin(async (transaction) => {
      await processes[0].within(transaction).pipeline(one).stepStarted('requirement_analysis')
      await processes[1].pipeline(other).stepStarted('requirement_analysis')
    })
  })
})

describe('the cost', () => {
  it('of most reports is an update in place (HOT), because they change no indexed column', async () => {
    // An empty page has room for every version of the row: none can be pruned within one transaction.
    await sql`truncate quickquote.quotations cascade`
    const organizationId = randomUUID()
    const { quotation_id: id } = await processes[0].quotations.start({
      organizationId,
      source: 'ui',
      body: { requirementsText: 'A shop' },
    })
    const updates = await sql.begin(async (transaction) => {
      // May still include earlier statements of the session.
      const count = async () => {
        const [counts] = await transaction<{ all: number; hot: number }[]>`
          select pg_stat_get_xact_tuples_updated(oid)::int as all, pg_stat_get_xact_tuples_hot_updated(oid)::int as hot
          from pg_class where oid = 'quickquote.quotations'::regclass`
        return counts ?? { all: 0, hot: 0 }
      }
      const before = await count()
      const report = processes[0].within(transaction).pipeline(id)
      for (const step of STEPS) {
        await report.stepStarted(step)
        await (step === 'proposal' ? report.proposalReady() : report.stepCompleted(step))
      }
      await report.completed()
      const after = await count()
      return { all: after.all - before.all, hot: after.hot - before.hot }
    })
    // Two of them change the status, which finds runs in progress.
    expect(updates).toEqual({ all: 11, hot: 9 })
  })

  it('of finding stalled runs is reading runs in progress only', async () => {
    await sql`insert into quickquote.quotations (id, organization_id, name, description, status, processed_step, source,
        created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), '', '', 'completed', 'none', 'ui', now(), now()
      from generate_series(1, 5000)`
    await sql`analyze quickquote.quotations`
    const plan = await sql`explain select id from quickquote.quotations
      where status in ('queued', 'running') and updated_at < now() order by id limit 100`
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain('quotations_unfinished')
    expect(text).not.toContain('Seq Scan')
  })

  it('of looking up names is one prepared statement, however many names', async () => {
    const client = postgres(url, { max: 1 })
    const storage = drizzleStorage({ sql: client })
    for (const count of [1, 2, 3, 50]) {
      await storage.quotations.findNames(
        randomUUID(),
        Array.from({ length: count }, () => randomUUID()),
      )
    }
    const prepared = await client`
      select from pg_prepared_statements where statement like 'select id, name from%'`
    expect(prepared).toHaveLength(1)
    await client.end()
  })
})

describe('a run from start to end', () => {
  it('appears in the summary, the steps and the proposal', async () => {
    const organizationId = randomUUID()
    const { quotations, pipeline } = processes[0]
    const { quotation_id: id } = await quotations.start({
      organizationId,
      source: 'api_key',
      body: { name: 'Shop', requirementsText: 'A shop', metadata: { crm: 'A-1' } },
    })
    const report = pipeline(id)
    await report.stepStarted('requirement_analysis')
    expect(await quotations.pipelineStatus(organizationId, id)).toMatchObject({
      status: 'running',
      processed_step: 'none',
      progress: { completed: 0, total: 5 },
      steps: [{ status: 'running', completed_at: null }, { status: 'pending' }, {}, {}, {}],
    })
    await report.stepCompleted('requirement_analysis')
    await report.stepCompleted('functional_specification')
    await report.stepCompleted('work_breakdown')
    await report.stepCompleted('effort_estimation')
    await report.proposalReady()
    const before = await quotations.proposal(organizationId, id)
    await report.completed()
    await report.proposalReady({ documentId: randomUUID() })
    const after = await quotations.proposal(organizationId, id)

    expect(await quotations.get(organizationId, id)).toMatchObject({
      name: 'Shop',
      status: 'completed',
      processed_step: 'proposal',
      error_code: null,
    })
    const status = await quotations.pipelineStatus(organizationId, id)
    expect(status.progress).toEqual({ completed: 5, total: 5 })
    for (const step of status.steps) {
      expect(step.completed_at?.getTime()).toBeGreaterThanOrEqual(step.started_at?.getTime() ?? Number.NaN)
    }
    expect(before.document_id).toBeNull()
    expect(after).toEqual({
      ...before,
      document_id: expect.any(String),
      updated_at: expect.any(Date),
    })
    expect(await eventsOf(id)).toHaveLength(6)
  })

  it('refuses reports of a quote of another organization, if asked to', async () => {
    const organizationId = randomUUID()
    const { quotations, pipeline } = processes[0]
    const body = { requirementsText: 'A shop' }
    const { quotation_id: id } = await quotations.start({ organizationId, source: 'ui', body })
    await expect(
      pipeline(id, { organizationId: randomUUID() }).stepStarted('requirement_analysis'),
    ).rejects.toMatchObject({ code: 'OTHER_ORGANIZATION' })
    expect(await quotations.get(organizationId, id)).toMatchObject({ status: 'queued' })
    await pipeline(id, { organizationId: organizationId.toUpperCase() }).stepStarted('requirement_analysis')
    expect(await quotations.get(organizationId, id)).toMatchObject({ status: 'running' })
    expect(() => pipeline(id, { organization: organizationId } as never)).toThrow(
      'Did you mean organizationId?',
    )
  })

  it('refuses a report with a misspelled field, and changes nothing', async () => {
    const organizationId = randomUUID()
    const { quotations, pipeline } = processes[0]
    const body = { requirementsText: 'A shop' }
    const { quotation_id: id } = await quotations.start({ organizationId, source: 'ui', body })
    const report = pipeline(id)
    await expect(report.proposalReady({ document_id: randomUUID() } as never)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: '/document_id: is not a field. Did you mean documentId? Fields: name, documentId',
    })
    await expect(report.failed({ error_code: 'MODEL_OVERLOADED' } as never)).rejects.toThrow(
      '/error_code: is not a field. Did you mean errorCode? Fields: step, errorCode',
    )
    expect(await quotations.get(organizationId, id)).toMatchObject({ status: 'queued' })
  })

  it('keeps the step and error code of a failure', async () => {
    const organizationId = randomUUID()
    const { quotations, pipeline } = processes[0]
    const { quotation_id: id } = await quotations.start({
      organizationId,
      source: 'ui',
      body: { requirementsText: 'A shop' },
    })
    await pipeline(id).stepStarted('requirement_analysis')
    await pipeline(id).failed({ errorCode: 'MODEL_OVERLOADED' })

    expect(await quotations.pipelineStatus(organizationId, id)).toMatchObject({
      status: 'failed',
      processed_step: 'none',
      error_code: 'MODEL_OVERLOADED',
      steps: [
        { step: 'requirement_analysis', status: 'failed', error_code: 'MODEL_OVERLOADED' },
        { status: 'pending' },
        {},
        {},
        {},
      ],
    })
  })
})
