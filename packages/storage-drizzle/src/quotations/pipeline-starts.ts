import type { Quote, TraceContext } from '@quickquote/core'
import type { ClaimedStart, PipelineStartStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { millisOf, toDate } from '../connection/readable.ts'
import { createHeldLeases } from '../deliveries/held-leases.ts'
import { accept } from './acceptance.ts'
import { type TraceColumns, traceOf } from './trace-columns.ts'

interface Row extends Omit<Quote, 'id'>, TraceColumns {
  /** The quote that an order brings along, when it is not of ours. */
  readonly quote: (Omit<Quote, 'id'> & { readonly trace: TraceContext | null }) | null
  readonly quotation_id: string | null
  readonly attempt: number
  /** In milliseconds. */
  readonly next_due_at: string | null
}

/** The orders to start pipelines: see PipelineStartStorage. */
export function pipelineStartStorage(database: Database): PipelineStartStorage {
  const { schema } = database
  const leases = createHeldLeases()

  function claim(workerId: string, limit: number, now: Date): Promise<Row[]> {
    // An order whose quote has ended meanwhile (its pipeline was quicker than its answer, or a host ended it) is done.
    return database.run<Row>(
      `with due as (
           select quotation_id from ${schema}.pipeline_starts
           where leased_by is null and due_at <= $2::timestamptz
           order by due_at limit $3::int
           for update skip locked
         ), done as (
           delete from ${schema}.pipeline_starts where quotation_id in (
             select quotation_id from due join ${schema}.quotations on id = quotation_id
             where status in ('completed', 'failed')
           )
         ), leased as (
           update ${schema}.pipeline_starts start set leased_by = $1, attempt = start.attempt + 1
           from due left join ${schema}.quotations quotation on quotation.id = due.quotation_id
           where start.quotation_id = due.quotation_id
             and coalesce(quotation.status, 'queued') not in ('completed', 'failed')
           returning start.quotation_id, start.attempt, start.quote
         ), next as (
           select due_at from ${schema}.pipeline_starts
           where leased_by is null and quotation_id not in (select quotation_id from due)
           order by due_at limit 1
         )
         select leased.quotation_id, leased.attempt, leased.quote, organization_id, name, description, config_id, source,
           requirements_text as "requirementsText", metadata, traceparent, tracestate,
           (select coalesce(jsonb_agg(jsonb_build_object('id', file.id, 'name', file.name, 'type', file.type,
              'size', file.size) order by file.position), '[]')
            from ${schema}.quotation_files file where file.quotation_id = leased.quotation_id) as files,
           ${millisOf('next.due_at')} as next_due_at
         from (select 1) round
         left join next on true
         left join (leased left join ${schema}.quotations on id = quotation_id) on true`,
      [workerId, now, limit],
    )
  }

  return {
    order: (quotation, idempotency) =>
      accept(database, quotation, idempotency, async (on) => {
        const { id, api_key_id: _, created_at, ...quote } = quotation
        await on.run(
          `insert into ${schema}.pipeline_starts (quotation_id, due_at, quote) values ($1, $2, $3::text::jsonb)`,
          [id, created_at, JSON.stringify(quote)],
        )
      }),

    async claim({ workerId, limit, now }) {
      const rows = await leases.claiming(workerId, async (held) => {
        if (held !== undefined) {
          await database.run(
            `update ${schema}.pipeline_starts set leased_by = null, attempt = attempt - 1
             where leased_by = $1 and quotation_id <> all ($2::uuid[])`,
            [workerId, held],
          )
        }
        return claim(workerId, limit, now)
      })
      const claimed = rows.flatMap(toClaimedStart)
      leases.add(
        workerId,
        claimed.map(({ quote }) => quote.id),
      )
      return { claimed, nextDueAt: toDate(rows[0]?.next_due_at ?? null) }
    },

    async settle({ workerId, quotationId, attempt, retryAt }) {
      await database.run(
        retryAt === null
          ? `delete from ${schema}.pipeline_starts where quotation_id = $1 and leased_by = $2 and attempt = $3`
          : `update ${schema}.pipeline_starts set leased_by = null, due_at = $4
             where quotation_id = $1 and leased_by = $2 and attempt = $3`,
        [quotationId, workerId, attempt, ...(retryAt === null ? [] : [retryAt])],
      )
      leases.remove(workerId, [quotationId])
    },

    async release({ workerId, quotationId, attempt }) {
      await database.run(
        `update ${schema}.pipeline_starts set leased_by = null, attempt = attempt - 1
         where quotation_id = $1 and leased_by = $2 and attempt = $3`,
        [quotationId, workerId, attempt],
      )
      leases.remove(workerId, [quotationId])
      await database.wake()
    },
  }
}

/** A round without a claim is one row with nothing but `next_due_at`. */
function toClaimedStart({ quotation_id: id, attempt, traceparent, tracestate, ...row }: Row): ClaimedStart[] {
  if (id === null) return []
  const { next_due_at: _, quote: ofHost, ...ours } = row
  if (ofHost === null) {
    return [{ quote: { id, ...ours }, attempt, trace: traceOf({ traceparent, tracestate }) }]
  }
  const { trace, ...quote } = ofHost
  return [{ quote: { id, ...quote }, attempt, trace }]
}
