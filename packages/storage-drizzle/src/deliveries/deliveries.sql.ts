import { type CheckKind, MOST_OF_FREE } from '@quickquote/core/internal'
import {
  bool,
  int,
  json,
  nullable,
  oneOf,
  type Row,
  selected,
  smallint,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import type { PreviousSecretJson } from '../schema.ts'

export interface FoundEndpoint {
  readonly id: string
  readonly url: string
  readonly version: number
  readonly secret_key_id: string
  /** In hex. */
  readonly secret_ciphertext: string
  /** Including those whose overlap is over. */
  readonly previous_secrets: readonly PreviousSecretJson[]
  readonly headers_key_id: string | null
  readonly headers_ciphertext: string | null
}

/** A round, apart from its deliveries. */
const ROUND = {
  walked_to: nullable(uuid),
  is_long: bool,
  first_due_at: nullable(time),
  last_due_at: nullable(time),
  /** The first due time of an organization with places. */
  first_open_at: nullable(time),
  /** Of the index of due deliveries, dead ones included. */
  entries_read: int,
  is_more: bool,
  /** Whether an endpoint was skipped because its deliveries are catching up. */
  is_catching_up: bool,
  next_due_at: nullable(time),
  /** Of the deliveries. */
  endpoints: nullable(json<FoundEndpoint[]>()),
}
export type FoundRound = Row<typeof ROUND>

const DELIVERY = {
  id: uuid,
  organization_id: uuid,
  event_id: uuid,
  event_type: text,
  quotation_id: nullable(uuid),
  body: text,
  attempt: smallint,
  is_test: bool,
  check_kind: nullable(oneOf<CheckKind>()),
  endpoint_id: uuid,
  event_sequence: nullable(int),
}
export type FoundDelivery = Row<typeof DELIVERY>

/**
 * Records attempts and claims deliveries: see `migrations/functions/round.sql`.
 * The first row is the round, the others are its deliveries. `$due_after` null: everything due.
 */
export const DELIVERY_ROUND = statement(
  { ...ROUND, ...DELIVERY },
  `select ${selected({ ...ROUND, ...DELIVERY })}
    from $schema.delivery_round($worker_id, $now, $limit, $per_endpoint, $limits::text::jsonb, $walk_after, $must_walk, $few,
      coalesce($due_after::timestamptz, '-infinity'), $settled::text::json,
      $under_way::text::jsonb, $full::uuid[], $own_leases::text::jsonb, ${MOST_OF_FREE})`,
)

/** Leases that the worker does not know of, because the result of a round was lost. */
export const RELEASE_UNKNOWN_DELIVERIES = statement(
  {},
  `update $schema.deliveries set leased_by = null, leased_at = null, attempt = attempt - 1
    where leased_by = $worker_id and id <> all ($held::uuid[])
      and leased_at < coalesce($offered_at::timestamptz, 'infinity')`,
)

/** With attempts and due times; `-infinity`: as before. */
export const RELEASE_DELIVERIES = statement(
  { released: int },
  `update $schema.deliveries delivery set leased_by = null, leased_at = null, attempt = lease.attempt - 1,
      due_at = greatest(lease.due_at, delivery.due_at)
    from unnest($ids::uuid[], $attempts::smallint[], $due_at::timestamptz[]) as lease (id, attempt, due_at)
    where delivery.id = lease.id and delivery.leased_by = $worker_id and delivery.attempt = lease.attempt
    returning 1 as released`,
)

/**
 * Makes deliveries due that wait for a removed delivery of their quotation. Each round does this for the deliveries it
 * ends; this repairs the others.
 */
export const RELEASE_NEXT = statement(
  { released: int },
  `update $schema.deliveries set due_at = $now::timestamptz where ctid = any (array(
    select ctid from $schema.deliveries waiting
    where leased_by is null and parked_at is null and attempt >= 0 and due_at = 'infinity' and not exists (
      select from $schema.deliveries earlier
      where earlier.endpoint_id = waiting.endpoint_id and earlier.quotation_id = waiting.quotation_id
        and earlier.sequence < waiting.sequence and earlier.parked_at is null
    )
    for update skip locked
  )) returning 1 as released`,
)
