import { bool, int, statement, uuid } from '../connection/statement.ts'

/** Claims the key for the request, unless another one has it since `$since`. */
export const CLAIM_KEY = statement(
  { claimed: int },
  `insert into $schema.idempotency_keys as known (organization_id, key, request_hash, quotation_id, created_at)
    values ($organization_id, $key, decode($request_hash::text, 'hex'), $quotation_id, $created_at)
    on conflict (organization_id, key) do update set request_hash = excluded.request_hash,
      quotation_id = excluded.quotation_id, created_at = excluded.created_at
    where known.created_at <= $since::timestamptz
    returning 1 as claimed`,
)

/** The request that has the key. */
export const FIND_KEY = statement(
  { quotation_id: uuid, is_same: bool },
  `select quotation_id, request_hash = decode($request_hash::text, 'hex') as is_same from $schema.idempotency_keys
    where organization_id = $organization_id and key = $key`,
)
