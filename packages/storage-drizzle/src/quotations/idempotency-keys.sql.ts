import { bool, statement, uuid } from '../connection/statement.ts'

/** Locks the key until the transaction ends. */
export const LOCK_KEY = statement(
  { taken: bool },
  () => 'select pg_try_advisory_xact_lock(hashtextextended($lock::text, 0)) as taken',
)

export const FIND_KEY = statement(
  { quotation: uuid, same: bool },
  (schema) => `select quotation_id as quotation, request_hash = $request_hash::bytea as same
    from ${schema}.idempotency_keys
    where organization_id = $organization_id and key = $key and created_at > $since`,
)

/** Overwrites an expired key. */
export const REMEMBER_KEY = statement(
  {},
  (
    schema,
  ) => `insert into ${schema}.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
    values ($organization_id, $key, $request_hash, $quotation_id, $created_at)
    on conflict (organization_id, key) do update
    set request_hash = excluded.request_hash, quotation_id = excluded.quotation_id, created_at = excluded.created_at`,
)
