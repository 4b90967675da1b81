import type { NewQuotation } from '@quickquote/core'
import { isUuid, ownedBy, pipelineStatusOf, type Storage } from '@quickquote/core/internal'
import { batched, batchedInserts } from '../connection/batched.ts'
import type { Database } from '../connection/database.ts'
import { traceOf } from '../connection/statement.ts'
import { recordEvent } from '../deliveries/events.ts'
import { FIRST_UUID, firstIdOf, LAST_UUID } from '../ids.ts'
import { claimForAcceptance } from './acceptance.ts'
import { orderCancel } from './pipeline-starts.ts'
import * as sql from './quotations.sql.ts'

export function quotationStorage(database: Database): Storage['quotations'] {
  const { call, run, one } = database
  const insertTogether = batchedInserts<NewQuotation>((all) => insertQuotations(database, all))
  const reads = lookups(database)

  // No object is spread in what a transaction makes: that costs more than all else.
  return {
    find: reads.find,
    findChanged: reads.findChanged,
    findPipelineStatus: reads.findPipelineStatus,
    findProposalOf: reads.findProposalOf,
    findProposal: reads.findProposal,
    findNames: reads.findNames,
    list: reads.list,

    accept: (quotation, idempotency) =>
      call('quotations.accept', async () => {
        // The common case is one statement; look-ups need a transaction around it.
        if (idempotency === null && quotation.files.length === 0 && !database.isTransaction) {
          await insertTogether(quotation)
          await database.wake('starts')
          return { kind: 'accepted' }
        }
        return database.transaction(async (transaction) => {
          const known = await claimForAcceptance(transaction, quotation, idempotency)
          if (known !== null) return known
          await insertQuotations(transaction, [quotation])
          await transaction.wake('starts')
          return { kind: 'accepted' }
        })
      }),

    findStalled: (silentSince, limit) =>
      call('quotations.findStalled', async () => {
        const stalled = await run(sql.FIND_STALLED, { silent_since: silentSince, limit })
        return stalled.map(({ id }) => id)
      }),

    lockProgress: (quotationId) =>
      call('quotations.lockProgress', async () => {
        if (!isUuid(quotationId)) return null
        const [locked] = await run(sql.LOCK_PROGRESS, { id: quotationId })
        if (locked === undefined) return null
        const progress = await one(sql.READ_PROGRESS, { id: quotationId })
        const { traceparent, tracestate, ...quotation } = locked
        return { ...quotation, ...progress, trace: traceOf({ traceparent, tracestate }) }
      }),

    saveProgress: (organizationId, quotationId, { event: _, ...change }, now, event) =>
      call('quotations.saveProgress', async () => {
        const saved = { organization_id: organizationId, quotation_id: quotationId, now }
        const progress = { ...saved, change: JSON.stringify(change) }
        if (event === undefined) await run(sql.SAVE_PROGRESS, progress)
        else await recordEvent(database, sql.REPORT, event, progress)
      }),

    cancelStart: (organizationId, quotationId, now) =>
      call('quotations.cancelStart', () => orderCancel(database, organizationId, quotationId, now, null)),

    lockForErasing: (organizationId, quotationId) =>
      call('quotations.lockForErasing', async () => {
        if (!isUuid(quotationId)) return 'unknown'
        const [row] = await run(sql.LOCK_FOR_ERASING, { id: quotationId })
        return ownedBy(row && { ...row, found: { created_at: row.created_at } }, organizationId)
      }),

    erase: (organizationId, quotationId) =>
      call('quotations.erase', async () => {
        const files = await run(sql.ERASE_QUOTATION, { organization_id: organizationId, id: quotationId })
        return files.map(({ id }) => id)
      }),
  }
}

/** The most frequent calls of partners. */
function lookups({ call, run }: Database) {
  const quotationById = batched(async (ids) => {
    const rows = await run(sql.FIND_QUOTATIONS, { ids })
    return new Map(rows.map(({ organization_id, ...found }) => [found.id, { organization_id, found }]))
  })

  return {
    find: (organizationId, id) =>
      call('quotations.find', async () => {
        if (!isUuid(id)) return 'unknown'
        return ownedBy(await quotationById(id.toLowerCase()), organizationId)
      }),

    list: (organizationId, filter, { after, limit }) =>
      call('quotations.list', async () => {
        const { created_since, created_until, external_id } = filter
        const until = created_until === null ? LAST_UUID : firstIdOf(created_until)
        return run(sql.listQuotations(filter), {
          organization_id: organizationId,
          external_id,
          from: created_since === null ? FIRST_UUID : firstIdOf(created_since),
          before: after !== null && after.id < until ? after.id : until,
          limit,
        })
      }),

    findChanged: (seen) =>
      call('quotations.findChanged', async () => {
        const changed = await run(sql.FIND_CHANGED, {
          organization_ids: seen.map(({ organization_id }) => organization_id),
          ids: seen.map(({ id }) => id),
          updated_at: seen.map(({ updated_at }) => updated_at),
        })
        return new Set(changed.map(({ position }) => Number(position) - 1))
      }),

    findPipelineStatus: (organizationId, quotationId) =>
      call('quotations.findPipelineStatus', async () => {
        if (!isUuid(quotationId)) return 'unknown'
        const rows = await run(sql.FIND_STEPS, { id: quotationId })
        const [first] = rows
        if (first === undefined) return 'unknown'
        const steps = rows.flatMap(({ step, step_status, step_error_code, started_at, completed_at }) =>
          step === null
            ? []
            : [{ step, status: step_status, error_code: step_error_code, started_at, completed_at }],
        )
        return ownedBy({ ...first, found: pipelineStatusOf(first, steps) }, organizationId)
      }),

    findProposalOf: (organizationId, quotationId) =>
      call('quotations.findProposalOf', async () => {
        if (!isUuid(quotationId)) return 'unknown'
        const [row] = await run(sql.FIND_PROPOSAL_OF, { id: quotationId })
        if (row === undefined) return 'unknown'
        const { owner, id, ...proposal } = row
        const found = id === null ? null : { id, ...proposal }
        return ownedBy({ organization_id: owner, found }, organizationId)
      }),

    findProposal: (organizationId, id) =>
      call('quotations.findProposal', async () => {
        if (!isUuid(id)) return 'unknown'
        const [row] = await run(sql.FIND_PROPOSAL, { id })
        if (row === undefined) return 'unknown'
        const { owner, ...found } = row
        return ownedBy({ organization_id: owner, found }, organizationId)
      }),

    findNames: (organizationId, ids) =>
      call('quotations.findNames', async () => {
        if (ids.length === 0) return new Map()
        const rows = await run(sql.NAME_QUOTATIONS, { ids, organization_id: organizationId })
        return new Map(rows.map(({ id, name }) => [id, name]))
      }),
  } satisfies Partial<Storage['quotations']>
}

async function insertQuotations({ run }: Database, quotations: readonly NewQuotation[]): Promise<void> {
  await run(sql.INSERT_QUOTATIONS, { quotations: JSON.stringify(quotations.map(rowOf)) })
}

function rowOf({ requirementsText, trace, ...quotation }: NewQuotation) {
  return { requirements_text: requirementsText, ...trace, ...quotation }
}
