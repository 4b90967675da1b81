import { MAX_PREVIOUS_SECRETS, type PreviousSecret } from '@quickquote/core/internal'
import {
  bytes,
  columnsOf,
  insertion,
  nullable,
  selected,
  statement,
  text,
  uuid,
} from '../connection/statement.ts'
import { notErased } from '../not-erased.sql.ts'
import { webhookEndpoints } from '../schema.ts'

/** The columns that members see. */
const ENDPOINT = columnsOf(
  webhookEndpoints,
  ['id', 'organization_id', 'name', 'url', 'description', 'events', 'trigger_mode', 'ordering'],
  ['is_enabled', 'disabled_reason', 'header_names', 'secret_hint', 'created_at', 'updated_at'],
)

/** Without their ciphertexts, and including those whose overlap is over. */
const PREVIOUS_SECRETS = {
  previous_secrets: {
    type: 'text',
    select: (column: string) => `(
      select coalesce(json_agg(previous - 'key_id' - 'ciphertext' order by place), '[]')
      from jsonb_array_elements(${column}) with ordinality each (previous, place)
    )::text`,
    read: (found: string) =>
      JSON.parse(found, (key, value) => (key === 'expires_at' ? new Date(value) : value)) as PreviousSecret[],
  },
}
const SHOWN = { ...ENDPOINT, ...PREVIOUS_SECRETS }

const SECRETS = columnsOf(webhookEndpoints, [
  'secret_ciphertext',
  'secret_key_id',
  'headers_ciphertext',
  'headers_key_id',
])

/** Inserts nothing if there are `$maximum` already: count them one at a time. */
export const INSERT_ENDPOINT = statement(
  { id: uuid },
  `${insertion(webhookEndpoints, { ...ENDPOINT, ...SECRETS })}
    where ${notErased()} and $maximum::int > (
      select count(*) from $schema.webhook_endpoints where organization_id = $organization_id and deleted_at is null
    )
    returning id`,
)

const OWN = 'id = $id and organization_id = $organization_id'

const findEndpoints = (rest: string) =>
  statement(
    SHOWN,
    `select ${selected(SHOWN)} from $schema.webhook_endpoints where deleted_at is null and ${rest}`,
  )
export const FIND_ENDPOINT = findEndpoints(OWN)
export const LOCK_ENDPOINT = findEndpoints(`${OWN} for no key update`)
export const LIST_ENDPOINTS = findEndpoints('organization_id = $organization_id order by created_at, id')

/** Including deleted ones. */
export const NAME_ENDPOINTS = statement(
  { id: uuid, name: text },
  `select id, name from $schema.webhook_endpoints
    where id = any ($ids::uuid[]) and organization_id = $organization_id`,
)

export const FIND_HEADERS = statement(
  { key_id: nullable(text), ciphertext: nullable(bytes) },
  `select headers_key_id as key_id, encode(headers_ciphertext, 'hex') as ciphertext
    from $schema.webhook_endpoints where ${OWN} and deleted_at is null`,
)

/** Any change: workers that know the endpoint reload it. */
const change = (set: string) =>
  statement(
    SHOWN,
    `update $schema.webhook_endpoints set ${set}, updated_at = $now, version = version + 1
    where ${OWN} and deleted_at is null
    returning ${selected(SHOWN)}`,
  )

/** Queries may contain tokens. Credentials and fragments are refused. */
function shownUrl(url: string): string {
  return `split_part(${url}, '?', 1)`
}

/** The URL to which an attempt was sent, without its query. An SQL expression; null if the endpoint's version is not known. */
export function urlOf(attempt: string): string {
  return `(select coalesce((
      select url from $schema.endpoint_urls
      where endpoint_id = endpoint.id and last_version >= ${attempt}.endpoint_version
      order by last_version limit 1
    ), ${shownUrl('endpoint.url')})
    from $schema.webhook_endpoints endpoint
    where endpoint.id = ${attempt}.endpoint_id and ${attempt}.endpoint_version is not null)`
}

/**
 * `$changes`: the changed columns, as a JSON object. A change of the URL keeps the old one, for the attempts sent to it.
 * Enabling an endpoint, or changing its order, begins a new generation: see `migrations/functions/catching-up.sql`.
 */
export const CHANGE_ENDPOINT = statement(
  SHOWN,
  `with changed as (
      select changed.*, endpoint.url as old_url, changed.is_enabled and not endpoint.is_enabled as is_now_enabled,
        changed.ordering <> endpoint.ordering as is_reordered
      from $schema.webhook_endpoints endpoint
      cross join lateral jsonb_populate_record(endpoint, $changes::text::jsonb) changed
      where endpoint.id = $id and endpoint.organization_id = $organization_id and endpoint.deleted_at is null
    ), kept as (
      insert into $schema.endpoint_urls (endpoint_id, last_version, url)
      select id, version, ${shownUrl('old_url')} from changed where ${shownUrl('old_url')} <> ${shownUrl('url')}
    )
    update $schema.webhook_endpoints endpoint set name = changed.name, url = changed.url,
      description = changed.description, events = changed.events, trigger_mode = changed.trigger_mode,
      ordering = changed.ordering, is_enabled = changed.is_enabled, disabled_reason = changed.disabled_reason,
      header_names = changed.header_names, headers_ciphertext = changed.headers_ciphertext,
      headers_key_id = changed.headers_key_id,
      generation = changed.generation + (is_now_enabled or is_reordered)::int,
      parks_before = case when is_now_enabled then changed.generation + 1 else changed.parks_before end,
      caught_up_until = case when is_now_enabled or is_reordered then '-infinity' else changed.caught_up_until end,
      updated_at = $now, version = changed.version + 1
    from changed where endpoint.id = changed.id
    returning ${selected(SHOWN, 'endpoint')}`,
)

/** A deleted endpoint never signs again. */
export const WITHOUT_SECRETS = `secret_ciphertext = null, secret_key_id = null, previous_secrets = '[]', header_names = '{}', headers_ciphertext = null,
      headers_key_id = null`

export const DELETE_ENDPOINT = change(`deleted_at = $now, ${WITHOUT_SECRETS}`)

/** The secret so far also signs until `$previous_until` (null: not at all), and each earlier one until its own end. */
export const ROTATE_SECRET =
  change(`secret_ciphertext = decode($ciphertext::text, 'hex'), secret_key_id = $key_id, secret_hint = $hint,
      previous_secrets = (
        select coalesce(jsonb_agg(previous order by place), '[]') from (
          select previous, place from (
            select jsonb_build_object('key_id', secret_key_id, 'ciphertext', encode(secret_ciphertext, 'hex'),
              'secret_hint', secret_hint, 'expires_at', $previous_until::timestamptz) as previous, 0 as place
            union all
            select * from jsonb_array_elements(previous_secrets) with ordinality
          ) known
          where (previous->>'expires_at')::timestamptz > $now::timestamptz
          order by place limit ${MAX_PREVIOUS_SECRETS}
        ) kept
      )`)

/** Deliveries to park while the request waits. */
const PARKED_AT_ONCE = 1000

/**
 * Removes pending deliveries from the indexes of claims within a short time: claims park the rest of a long backlog as
 * they reach it. Deliveries in flight end normally.
 */
export const PARK_SOME = statement(
  {},
  `update $schema.deliveries set parked_at = $now::timestamptz where ctid = any (array(
      select ctid from $schema.deliveries
      where endpoint_id = $id and organization_id = $organization_id and leased_by is null and parked_at is null
      order by due_at limit ${PARKED_AT_ONCE} for update skip locked
    ))`,
)

const changeHealth = (column: 'failing_since' | 'paused_until') =>
  statement(
    {},
    `update $schema.endpoint_health set ${column} = null
    where endpoint_id = $id and ${column} is not null
      and exists (select from $schema.webhook_endpoints where ${OWN})`,
  )
/** Earlier failures do not count. */
export const FORGET_FAILURES = changeHealth('failing_since')
/** A new origin has asked for no pause. */
export const END_PAUSE = changeHealth('paused_until')

/** One batch: see `migrations/functions/catching-up.sql`. `$endpoint_id` null: of any endpoint. */
export const CATCH_UP = statement(
  { state: text },
  `select $schema.catch_up($endpoint_id, $now, $limit) as state`,
)
