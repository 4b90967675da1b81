import type { Quote, TraceContext } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import {
  json,
  millisOf,
  nullable,
  oneOf,
  smallint,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import { notErased } from '../not-erased.sql.ts'

/** The quote within an order, if it is in the host's own tables. */
export type QuoteOfHost = Omit<Quote, 'id'> & { readonly trace: TraceContext | null }

export const ORDER_START = statement(
  {},
  `insert into $schema.pipeline_starts (quotation_id, due_at, quote)
    select $quotation_id, $due_at, $quote::text::jsonb where ${notErased()}`,
)

const IS_OF_ORGANIZATION = `($quote::text is not null or exists (
      select from $schema.quotations where id = $quotation_id and organization_id = $organization_id
    ))`

/** Of a quote that was never handed over. A claim that is running passes it over, whatever it has read of the quotation. */
export const FORGET_START = statement(
  { id: uuid },
  `delete from $schema.pipeline_starts
    where quotation_id = $quotation_id and state = 'accepted' and ${IS_OF_ORGANIZATION} returning quotation_id as id`,
)

/** A lease stays until its call has ended. */
export const ORDER_CANCEL = statement(
  {},
  `insert into $schema.pipeline_starts as start (quotation_id, state, due_at, quote)
    select $quotation_id, 'cancelled', $now, $quote::text::jsonb
    where ${notErased()} and ${IS_OF_ORGANIZATION}
    on conflict (quotation_id) do update set state = 'cancelled', due_at = excluded.due_at`,
)

export const FIND_CANCELLED = statement(
  { id: uuid },
  `select quotation_id as id from $schema.pipeline_starts
    where leased_by = $worker_id and state = 'cancelled'`,
)

/**
 * Leases due orders. An order to start whose quote has already ended is completed. Without a claim, the result is one row with
 * only `next_due_at`.
 */
export const CLAIM_STARTS = statement(
  {
    quotation_id: nullable(uuid),
    hook: oneOf<ClaimedStart['hook']>(),
    attempt: smallint,
    quote: nullable(json<QuoteOfHost>()),
    organization_id: uuid,
    name: text,
    description: text,
    config_id: nullable(uuid),
    external_id: nullable(text),
    source: oneOf<Quote['source']>(),
    requirementsText: nullable(text),
    metadata: json<Quote['metadata']>(),
    traceparent: nullable(text),
    tracestate: nullable(text),
    files: json<Quote['files']>(),
    next_due_at: nullable(time),
  },
  `with due as (
      select quotation_id from $schema.pipeline_starts
      where leased_by is null and due_at <= $now::timestamptz
      order by due_at limit $limit::int
      for update skip locked
    ), done as (
      delete from $schema.pipeline_starts where quotation_id in (
        select quotation_id from due join $schema.quotations on id = quotation_id
        where status in ('completed', 'failed')
      ) and state in ('accepted', 'handed_over')
    ), leased as (
      update $schema.pipeline_starts start set leased_by = $worker_id,
        attempt = case start.state when 'cancelled' then 1 else start.attempt + 1 end,
        state = case start.state when 'accepted' then 'handed_over' when 'cancelled' then 'cancelling' else start.state end
      from due left join $schema.quotations quotation on quotation.id = due.quotation_id
      where start.quotation_id = due.quotation_id
        and (start.state in ('cancelled', 'cancelling')
          or coalesce(quotation.status, 'queued') not in ('completed', 'failed'))
      returning start.quotation_id, start.state, start.attempt, start.quote
    ), next as (
      select due_at from $schema.pipeline_starts
      where leased_by is null and quotation_id not in (select quotation_id from due)
      order by due_at limit 1
    )
    select leased.quotation_id, case leased.state when 'cancelling' then 'cancel' else 'start' end as hook,
      leased.attempt, leased.quote::text, organization_id, name, description, config_id, external_id, source,
      requirements_text as "requirementsText", metadata::text, traceparent, tracestate,
      (select coalesce(jsonb_agg(jsonb_build_object('id', file.id, 'name', file.name, 'type', file.type,
         'size', file.size) order by file.position), '[]')::text
       from $schema.quotation_files file where file.quotation_id = leased.quotation_id) as files,
      ${millisOf('next.due_at')} as next_due_at
    from (select 1) round
    left join next on true
    left join (leased left join $schema.quotations on id = quotation_id) on true`,
)

/** Leases that the worker does not know of, because the result of a claim was lost. */
export const RELEASE_UNKNOWN_STARTS = statement(
  {},
  `update $schema.pipeline_starts set leased_by = null, attempt = attempt - 1
    where leased_by = $worker_id and quotation_id <> all ($held::uuid[])`,
)

const HELD = 'quotation_id = $quotation_id and leased_by = $worker_id and attempt = $attempt'

export const END_START = statement(
  { id: uuid },
  `delete from $schema.pipeline_starts where ${HELD} and state <> 'cancelled'
    returning quotation_id as id`,
)

/** That of a cancelled quote is due already. */
export const POSTPONE_START = statement(
  {},
  `update $schema.pipeline_starts set leased_by = null,
      due_at = case state when 'cancelled' then due_at else coalesce($due_at::timestamptz, due_at) end
    where ${HELD}`,
)

export const RELEASE_START = statement(
  {},
  `update $schema.pipeline_starts set leased_by = null, attempt = attempt - 1 where ${HELD}`,
)
