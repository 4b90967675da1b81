import { type ClaimedStart, pick, type Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { type Row, traceOf } from '../connection/statement.ts'
import { claimForAcceptance } from './acceptance.ts'
import type { QuoteOfHost } from './pipeline-starts.sql.ts'
import * as sql from './pipeline-starts.sql.ts'

/** The fields of an order. */
const QUOTE = [
  'organization_id',
  'name',
  'description',
  'config_id',
  'external_id',
  'source',
  'requirementsText',
  'metadata',
  'files',
] as const

export function pipelineStartStorage(database: Database): Storage['pipelineStarts'] {
  const { call } = database

  return {
    order: (quotation, idempotency) =>
      call('pipelineStarts.order', () =>
        database.transaction(async (transaction) => {
          const known = await claimForAcceptance(transaction, quotation, idempotency)
          if (known !== null) return known
          const { id, api_key_id: _, created_at, ...quote } = quotation
          await transaction.run(sql.ORDER_START, {
            quotation_id: id,
            organization_id: quote.organization_id,
            due_at: created_at,
            quote: JSON.stringify(quote),
          })
          await transaction.wake('starts')
          return { kind: 'accepted' }
        }),
      ),

    claim: ({ workerId, limit, held, now }) =>
      call('pipelineStarts.claim', async () => {
        if (held !== undefined) await database.run(sql.RELEASE_UNKNOWN_STARTS, { worker_id: workerId, held })
        const rows = await database.run(sql.CLAIM_STARTS, { worker_id: workerId, limit, now })
        return { claimed: rows.flatMap(toClaimedStart), nextDueAt: rows[0]?.next_due_at ?? null }
      }),

    recordCall: ({ workerId, quotationId, attempt, retryAt }) =>
      call('pipelineStarts.recordCall', async () => {
        const held = { worker_id: workerId, quotation_id: quotationId, attempt }
        const [ended] = retryAt === null ? await database.run(sql.END_START, held) : []
        // It goes on if it is to be tried again, or was cancelled meanwhile.
        if (ended === undefined) await database.run(sql.POSTPONE_START, { ...held, due_at: retryAt })
      }),

    orderCancel: (given, now) =>
      call('pipelineStarts.orderCancel', () => {
        const quote: QuoteOfHost = { ...pick(given, QUOTE), trace: null }
        return orderCancel(database, given.organization_id, given.id, now, JSON.stringify(quote))
      }),

    findCancelled: (workerId) =>
      call('pipelineStarts.findCancelled', async () => {
        const cancelled = await database.run(sql.FIND_CANCELLED, { worker_id: workerId })
        return new Set(cancelled.map(({ id }) => id))
      }),

    release: ({ workerId, quotationId, attempt }) =>
      call('pipelineStarts.release', async () => {
        await database.run(sql.RELEASE_START, { worker_id: workerId, quotation_id: quotationId, attempt })
        await database.wake('anything')
      }),
  }
}

/**
 * Forgets the order to start of a cancelled quote, or orders to cancel it.
 * @param quote as JSON, if it is in the host's own tables
 */
export async function orderCancel(
  { run, wake }: Database,
  organizationId: string,
  quotationId: string,
  now: Date,
  quote: string | null,
): Promise<void> {
  const cancelled = { organization_id: organizationId, quotation_id: quotationId, quote }
  const [forgotten] = await run(sql.FORGET_START, cancelled)
  if (forgotten !== undefined) return
  await run(sql.ORDER_CANCEL, { ...cancelled, now })
  // For the worker that is running it.
  await wake('anything')
}

function toClaimedStart(row: Row<typeof sql.CLAIM_STARTS.columns>): ClaimedStart[] {
  const {
    quotation_id: id,
    hook,
    attempt,
    traceparent,
    tracestate,
    next_due_at: _,
    quote: ofHost,
    ...ours
  } = row
  if (id === null) return []
  if (ofHost === null) {
    return [{ quote: { id, ...ours }, hook, attempt, trace: traceOf({ traceparent, tracestate }) }]
  }
  const { trace, ...quote } = ofHost
  return [{ quote: { id, ...quote }, hook, attempt, trace }]
}
