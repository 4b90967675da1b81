import type { PageRequest } from '@quickquote/core'
import type { StoredApiKeyStatus } from '@quickquote/core/internal'
import { AFTER, given, newestFirst } from '../connection/page.ts'
import {
  columnsOf,
  insertion,
  int,
  millisOf,
  oneOf,
  selected,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import { notErased } from '../not-erased.sql.ts'
import { apiKeyRequests, apiKeys, quotations } from '../schema.ts'

const STORED = columnsOf(apiKeys)
const { key_hash: _, ...KEY } = STORED

export const INSERT_KEY = statement({}, `${insertion(apiKeys, STORED)} where ${notErased()}`)

const KEYS = `select ${selected(KEY)} from $schema.api_keys where organization_id = $organization_id`
const findKeys = (rest: string) => statement(KEY, `${KEYS} and ${rest}`)
export const FIND_KEY = findKeys('id = $id')
export const LOCK_KEY = findKeys('id = $id for no key update')
export const LOCK_KEYS_OF_OWNER = findKeys(
  `owner_id = $owner_id and status <> 'revoked' order by id for no key update`,
)

export function listKeys(ownerId: string | null, after: PageRequest['after']) {
  const conditions = given({ ownerId, after }, { ownerId: 'owner_id = $owner_id', after: AFTER })
  return statement(KEY, `${KEYS}${conditions} order by ${newestFirst('api_keys')} limit $limit`)
}

/** A key never gets a later expiry. */
export const SAVE_KEY = statement(
  {},
  `update $schema.api_keys set name = $name, status = $status, expires_at = least(expires_at, $expires_at),
      replaced_by = $replaced_by, updated_at = $updated_at
    where organization_id = $organization_id and id = $id`,
)

export const TRANSFER_KEYS = statement(
  {},
  `update $schema.api_keys set owner_id = $owner_id, updated_at = $now
    where organization_id = $organization_id and id = any ($ids::uuid[])`,
)

/** Keys of an organization being erased are revoked: writing that to each would lock them. */
const findByHash = (condition: string) =>
  statement(
    { hash: text, id: uuid, organization_id: uuid, status: oneOf<StoredApiKeyStatus>(), expires_at: time },
    `select encode(key_hash, 'hex') as hash, id, organization_id,
      case when exists (
        select from $schema.erased_organizations erased where erased.organization_id = key.organization_id
      ) then 'revoked' else status end as status, ${millisOf('expires_at')} as expires_at
    from $schema.api_keys key where key_hash ${condition}`,
  )
/** For one key PostgreSQL keeps the plan; for an array it plans each call again, at more than twice the cost. */
export const FIND_BY_HASH = findByHash(`= decode($hash::text, 'hex')`)
export const FIND_BY_HASHES = findByHash(
  `= any (array(select decode(hex, 'hex') from unnest($hashes::text[]) as hex))`,
)

/** Keys that may still work: the organization's, and among them the owner's. */
export const COUNT_KEYS = statement(
  { total: int, owned: int },
  `select count(*)::int as total, count(*) filter (where owner_id = $owner_id)::int as owned
    from $schema.api_keys
    where organization_id = $organization_id and status <> 'revoked' and replaced_by is null
      and expires_at > $now::timestamptz`,
)

/** Adds to the days of keys that exist. In one order, so that processes with the same keys cannot deadlock. */
export const RECORD_DAYS = statement(
  {},
  `insert into $schema.api_key_days as known (api_key_id, day, status_2xx, status_3xx, status_4xx, status_5xx)
    select used.api_key_id, date '1970-01-01' + used.day, used."2xx", used."3xx", used."4xx", used."5xx"
    from jsonb_to_recordset($days::text::jsonb) as used
      (api_key_id uuid, day int, "2xx" int, "3xx" int, "4xx" int, "5xx" int)
    join $schema.api_keys key on key.id = used.api_key_id
    order by used.api_key_id, used.day
    on conflict (api_key_id, day) do update set status_2xx = known.status_2xx + excluded.status_2xx,
      status_3xx = known.status_3xx + excluded.status_3xx, status_4xx = known.status_4xx + excluded.status_4xx,
      status_5xx = known.status_5xx + excluded.status_5xx`,
)

/** A row has all requests of a batch: one for each would cost as much as the requests themselves. */
export const RECORD_REQUESTS = statement(
  {},
  `insert into $schema.api_key_requests (id, api_key_id, at, requests)
    select used.id, used.api_key_id, to_timestamp(used.at / 1000.0), used.requests
    from jsonb_to_recordset($batches::text::jsonb) as used (id uuid, api_key_id uuid, at bigint, requests jsonb)
    join $schema.api_keys key on key.id = used.api_key_id`,
)

/** Keeps what has the newest of each key. */
export const FORGET_REQUESTS = statement(
  {},
  `delete from $schema.api_key_requests where id = any (array(
      select id from $schema.api_key_requests where id = any (array(
        select old.id from unnest($ids::uuid[]) as used (id) cross join lateral (
          select id, sum(jsonb_array_length(requests)) over newest - jsonb_array_length(requests) as newer
          from $schema.api_key_requests where api_key_id = used.id
          window newest as (order by at desc, id desc)
        ) old where newer >= $most::int
      )) order by id for update skip locked
    ))`,
)

export const READ_DAYS = statement(
  { day: int, status_2xx: int, status_3xx: int, status_4xx: int, status_5xx: int },
  `select day - date '1970-01-01' as day, status_2xx, status_3xx, status_4xx, status_5xx
    from $schema.api_key_days join $schema.api_keys key on key.id = api_key_id
    where organization_id = $organization_id and api_key_id = $id and day >= date '1970-01-01' + $since::int`,
)

const QUOTATION = columnsOf(quotations, ['id', 'name', 'status', 'created_at'])
/** In the index of an organization's quotations. */
export const FIND_QUOTATIONS = statement(
  QUOTATION,
  `select ${selected(QUOTATION)} from $schema.quotations
    where organization_id = $organization_id and source = 'api_key' and id >= $from and api_key_id = $id
    order by id desc limit $limit::int`,
)

const { requests } = columnsOf(apiKeyRequests, ['requests'])
export const READ_REQUESTS = statement(
  { requests },
  `select ${selected({ requests }, 'batch')} from $schema.api_key_requests batch
    join $schema.api_keys key on key.id = api_key_id
    where organization_id = $organization_id and api_key_id = $id
    order by at desc, batch.id desc limit $most::int`,
)

/** Locks rows in one order, so that processes with the same keys cannot deadlock. */
export const RECORD_USES = statement(
  {},
  `with used as (
      select * from unnest($ids::uuid[], $times::timestamptz[]) as used (id, at)
    ), locked as (
      select id from $schema.api_keys where id in (select id from used) order by id for no key update
    )
    update $schema.api_keys as key set last_used_at = used.at
    from used join locked using (id)
    where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`,
)
