import type { ClaimedStart, PipelineStartStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { traceOf } from '../connection/readable.ts'
import type { Row } from '../connection/statement.ts'
import { claimForAcceptance } from './acceptance.ts'
import {
  CLAIM_STARTS,
  END_START,
  ORDER_START,
  POSTPONE_START,
  RELEASE_START,
  RELEASE_UNKNOWN_STARTS,
} from './pipeline-starts.sql.ts'

/** See PipelineStartStorage. */
export function pipelineStartStorage(database: Database): PipelineStartStorage {
  return {
    async order(quotation, idempotency) {
      return database.transaction(async (transaction) => {
        const known = await claimForAcceptance(transaction, quotation, idempotency)
        if (known !== null) return known
        const { id, api_key_id: _, created_at, ...quote } = quotation
        await transaction.run(ORDER_START, {
          quotation_id: id,
          organization_id: quote.organization_id,
          due_at: created_at,
          quote: JSON.stringify(quote),
        })
        await transaction.wake()
        return { kind: 'accepted' }
      })
    },

    async claim({ workerId, limit, held, now }) {
      if (held !== undefined) await database.run(RELEASE_UNKNOWN_STARTS, { worker_id: workerId, held })
      const rows = await database.run(CLAIM_STARTS, { worker_id: workerId, limit, now })
      return { claimed: rows.flatMap(toClaimedStart), nextDueAt: rows[0]?.next_due_at ?? null }
    },

    async settle({ workerId, quotationId, attempt, retryAt }) {
      const held = { worker_id: workerId, quotation_id: quotationId, attempt }
      if (retryAt === null) await database.run(END_START, held)
      else await database.run(POSTPONE_START, { ...held, due_at: retryAt })
    },

    async release({ workerId, quotationId, attempt }) {
      await database.run(RELEASE_START, { worker_id: workerId, quotation_id: quotationId, attempt })
      await database.wake()
    },
  }
}

function toClaimedStart(row: Row<typeof CLAIM_STARTS.columns>): ClaimedStart[] {
  const { quotation_id: id, attempt, traceparent, tracestate, next_due_at: _, quote: ofHost, ...ours } = row
  if (id === null) return []
  if (ofHost === null) {
    return [{ quote: { id, ...ours }, attempt, trace: traceOf({ traceparent, tracestate }) }]
  }
  const { trace, ...quote } = ofHost
  return [{ quote: { id, ...quote }, attempt, trace }]
}
