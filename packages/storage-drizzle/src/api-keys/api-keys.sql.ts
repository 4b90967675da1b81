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
import { apiKeys } from '../schema.ts'

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
