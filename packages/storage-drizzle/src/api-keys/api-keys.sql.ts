import type { StoredApiKeyStatus } from '@quickquote/core/internal'
import { millisOf } from '../connection/readable.ts'
import { int, millis, oneOf, statement, text, uuid } from '../connection/statement.ts'

/** Keys of an organization being erased are revoked: writing that to each would lock them. */
const find = (condition: string) =>
  statement(
    { hash: text, id: uuid, organization: uuid, status: oneOf<StoredApiKeyStatus>(), expires: millis },
    (schema) => `select encode(key_hash, 'hex') as hash, id, organization_id as organization,
      case when exists (
        select from ${schema}.erased_organizations erased where erased.organization_id = key.organization_id
      ) then 'revoked' else status end as status, ${millisOf('expires_at')} as expires
    from ${schema}.api_keys key where key_hash ${condition}`,
  )
/** For one key PostgreSQL keeps the plan; for an array it plans each call again, at more than twice the cost. */
export const FIND_BY_HASH = find('= $hash::bytea')
export const FIND_BY_HASHES = find('= any ($hashes::bytea[])')

/** Keys that may still work: the organization's, and among them the owner's. */
export const COUNT_KEYS = statement(
  { total: int, owned: int },
  (schema) => `select count(*)::int as total, count(*) filter (where owner_id = $owner_id)::int as owned
    from ${schema}.api_keys
    where organization_id = $organization_id and status <> 'revoked' and expires_at > $now::timestamptz`,
)

/** Locks rows in one order, so that processes with the same keys cannot deadlock. */
export const RECORD_USES = statement(
  {},
  (schema) => `with used as (
      select * from unnest($ids::uuid[], $times::timestamptz[]) as used (id, at)
    ), locked as (
      select id from ${schema}.api_keys where id in (select id from used) order by id for no key update
    )
    update ${schema}.api_keys as key set last_used_at = used.at
    from used join locked using (id)
    where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`,
)
