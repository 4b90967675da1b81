import assert from 'node:assert/strict'
import type { QuotationFilter } from '@quickquote/core'
import { type Proposal, QUOTATION_STATUSES, SOURCES, type StepStatus } from '@quickquote/core/internal'
import { given } from '../connection/page.ts'
import {
  columnsOf,
  json,
  nullable,
  oneOf,
  selected,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import { recordingWith } from '../deliveries/events.sql.ts'
import { notErased } from '../not-erased.sql.ts'
import { proposals, quotations } from '../schema.ts'

const STATE = columnsOf(quotations, ['id', 'status', 'processed_step', 'error_code', 'updated_at'])

const SUMMARY = columnsOf(
  quotations,
  ['id', 'name', 'description', 'status', 'processed_step', 'source', 'config_id'],
  ['error_code', 'external_id', 'metadata', 'created_at', 'updated_at'],
)

const { organization_id: _, ...PROPOSAL } = columnsOf(proposals)

const LOCKED = columnsOf(
  quotations,
  ['organization_id', 'name', 'source', 'status', 'error_code', 'updated_at'],
  ['traceparent', 'tracestate'],
)

// Look-ups by id do not check the organization: their caller does.

export const FIND_QUOTATIONS = statement(
  { organization_id: uuid, ...SUMMARY },
  `select organization_id, ${selected(SUMMARY)} from $schema.quotations where id = any ($ids::uuid[])`,
)

/** A row for each step that has begun, or one without a step. */
export const FIND_STEPS = statement(
  {
    organization_id: uuid,
    ...STATE,
    step: nullable(oneOf<StepStatus['step']>()),
    step_status: oneOf<StepStatus['status']>(),
    started_at: nullable(time),
    completed_at: nullable(time),
    step_error_code: nullable(text),
  },
  `select quotation.organization_id, ${selected(STATE, 'quotation')}, step, step.status as step_status,
      ${selected({ started_at: time, completed_at: time })}, step.error_code as step_error_code
    from $schema.quotations quotation left join $schema.quotation_steps step on quotation_id = quotation.id
    where quotation.id = $id`,
)

/** Without a proposal, `id` is null. */
export const FIND_PROPOSAL_OF = statement(
  { owner: uuid, ...PROPOSAL, id: nullable(uuid) },
  `select quotation.organization_id as owner, ${selected(PROPOSAL, 'proposal')}
    from $schema.quotations quotation left join $schema.proposals proposal on quotation_id = quotation.id
    where quotation.id = $id`,
)

export const FIND_PROPOSAL = statement(
  { owner: uuid, ...PROPOSAL },
  `select organization_id as owner, ${selected(PROPOSAL)} from $schema.proposals where id = $id`,
)

export const NAME_QUOTATIONS = statement(
  { id: uuid, name: text },
  `select id, name from $schema.quotations
    where id = any ($ids::uuid[]) and organization_id = $organization_id`,
)

export const LOCK_FOR_ERASING = statement(
  { organization_id: uuid, created_at: time },
  `select organization_id, ${selected({ created_at: time })} from $schema.quotations
    where id = $id for update`,
)

const SELECTED_SUMMARY = selected(SUMMARY)

/**
 * A page of the list. Ids begin with the time of `created_at`, so they give the order, and its time bounds. Indexes hold the
 * ids by organization and source; without a source, the lists of both are merged. Statuses are literals, because the partial
 * indexes of failed and of open quotations do not match a parameter.
 */
export function listQuotations({ status, source, external_id }: QuotationFilter) {
  const sources = source === null ? SOURCES : [source]
  // They become literals.
  assert(
    sources.every((each) => SOURCES.includes(each)) &&
      (status === null || QUOTATION_STATUSES.includes(status)),
  )
  // The few quotations with an external ID are found by it, not among all failed ones.
  const statusColumn = external_id === null ? 'status' : `status || ''`
  const conditions = given(
    { external_id, status },
    { external_id: 'external_id = $external_id', status: `${statusColumn} = '${status}'` },
  )
  const lists = sources.map(
    (each) => `(select * from $schema.quotations
        where organization_id = $organization_id and source = '${each}' and id >= $from and id < $before${conditions}
        order by id desc limit $limit::int)`,
  )
  return statement(
    SUMMARY,
    `select ${SELECTED_SUMMARY} from (${lists.join(' union all ')}) quotation
      order by id desc limit $limit::int`,
  )
}

/** Reads all open quotations: they are few, and an index on their last report would be written with each report. */
export const FIND_STALLED = statement(
  { id: uuid },
  `select id from $schema.quotations
    where status in ('queued', 'running') and updated_at < $silent_since order by id limit $limit`,
)

/** Positions in the arrays of quotations that were updated or deleted. */
export const FIND_CHANGED = statement(
  { position: text },
  `select position::text
    from unnest($organization_ids::uuid[], $ids::uuid[], $updated_at::timestamptz[])
      with ordinality as seen (organization_id, id, updated_at, position)
    where not exists (
      select from $schema.quotations quotation
      where quotation.id = seen.id and quotation.organization_id = seen.organization_id
        and quotation.updated_at = seen.updated_at
    )`,
)

/** One statement, so that accepted quotes have their files and their starts. */
export const INSERT_QUOTATIONS = statement(
  {},
  `with accepted as (
      select * from json_to_recordset($quotations::text::json) as quotation (id uuid, organization_id uuid, name text,
        description text, source text, config_id uuid, api_key_id uuid, external_id text,
        requirements_text text, metadata jsonb,
        traceparent text, tracestate text, files json, created_at timestamptz)
    ), quotation as (
      insert into $schema.quotations (id, organization_id, name, description, status, processed_step, source, config_id,
        api_key_id, external_id, requirements_text, metadata, traceparent, tracestate, created_at, updated_at)
      select id, organization_id, name, description, 'queued', 'none', source, config_id,
        api_key_id, external_id, requirements_text, metadata, traceparent, tracestate, created_at, created_at from accepted
      where ${notErased('accepted.organization_id')}
    ), files as (
      insert into $schema.quotation_files (quotation_id, id, name, type, size, position)
      select accepted.id, file.*
      from accepted, rows from (json_to_recordset(files) as (id uuid, name text, type text, size bigint))
        with ordinality as file
    )
    insert into $schema.pipeline_starts (quotation_id, due_at) select id, created_at from accepted`,
)

/** For the report of a step: serializes reports until the transaction ends. */
export const LOCK_PROGRESS = statement(
  { quotation_id: uuid, ...LOCKED },
  `select id as quotation_id, ${selected(LOCKED)} from $schema.quotations where id = $id for no key update`,
)

/** A separate statement: the one that waited for the lock still sees the steps from before. */
export const READ_PROGRESS = statement(
  {
    steps: json<Pick<StepStatus, 'step' | 'status'>[]>(),
    proposal: nullable(json<Pick<Proposal, 'id' | 'name' | 'document_id'>>()),
  },
  `select (
      select coalesce(json_agg(json_build_object('step', step, 'status', status)), '[]')
      from $schema.quotation_steps where quotation_id = $id
    )::text as steps, (
      select json_build_object('id', id, 'name', name, 'document_id', document_id)
      from $schema.proposals where quotation_id = $id
    )::text as proposal`,
)

/** `$change` is a ProgressChange: what it does not have stays as it is. */
const PROGRESS = `saved as (
      update $schema.quotations set status = changed.status, processed_step = changed.processed_step,
        error_code = changed.error_code, updated_at = $now
      from $schema.quotations before
      cross join lateral jsonb_populate_record(before, $change::text::jsonb) changed
      where quotations.id = $quotation_id and before.id = $quotation_id and before.organization_id = $organization_id
      returning quotations.id
    ), saved_step as (
      insert into $schema.quotation_steps (quotation_id, step, status, error_code, started_at, completed_at)
      select saved.id, step, status, error_code, $now, case when status <> 'running' then $now::timestamptz end
      from saved cross join json_to_record($change::text::json -> 'step') as step (step text, status text, error_code text)
      where step is not null
      on conflict (quotation_id, step) do update set status = excluded.status, error_code = excluded.error_code,
        completed_at = excluded.completed_at
    ), saved_proposal as (
    insert into $schema.proposals (id, organization_id, quotation_id, name, status, document_id, created_at, updated_at)
    select proposal.id, $organization_id, saved.id, name, 'completed', document_id, $now, $now
    from saved cross join json_to_record($change::text::json -> 'proposal') as proposal (id uuid, name text, document_id uuid)
    where proposal.id is not null
    on conflict (quotation_id) do update set name = excluded.name, document_id = excluded.document_id,
      updated_at = excluded.updated_at
    )`

export const SAVE_PROGRESS = statement({}, `with ${PROGRESS} select`)

/** One statement, so that no half of it is left if the host's transaction ends in between. */
export const REPORT = recordingWith(PROGRESS)

/** Steps and the proposal are deleted by their foreign keys. `returning` reads the state before. */
export const ERASE_QUOTATION = statement(
  { id: uuid },
  `with erased as (
      delete from $schema.quotations where id = $id and organization_id = $organization_id returning id
    )
    select file.id from erased join $schema.quotation_files file on file.quotation_id = erased.id`,
)
