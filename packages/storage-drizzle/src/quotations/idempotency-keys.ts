import { type Acceptance, IDEMPOTENCY_WINDOW_MS, type Idempotency } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'

/**
 * Looks up what was accepted under a key, in the transaction that is about to accept something: until it ends nobody else
 * accepts anything under the key. null: the key is free.
 */
export async function lookUpKey(
  { run, schema }: Database,
  organizationId: string,
  { key, requestHash }: Idempotency,
  now: Date,
): Promise<Exclude<Acceptance, { outcome: 'accepted' }> | null> {
  const [lock] = await run<{ taken: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) as taken',
    [`${schema} idempotency ${organizationId} ${key}`],
  )
  if (!lock?.taken) return { outcome: 'key_in_use' }
  const since = new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS)
  const [known] = await run<{ quotation: string; same: boolean }>(
    `select quotation_id as quotation, request_hash = $3::bytea as same from ${schema}.idempotency_keys
     where organization_id = $1 and key = $2 and created_at > $4`,
    [organizationId, key, requestHash, since],
  )
  if (known === undefined) return null
  return known.same ? { outcome: 'repeated', quotation_id: known.quotation } : { outcome: 'key_reused' }
}

/** Remembers, in the same transaction, what was accepted under a key. A key whose time has passed is taken over. */
export async function rememberKey(
  { run, schema }: Database,
  quotation: { id: string; organization_id: string; created_at: Date },
  { key, requestHash }: Idempotency,
): Promise<void> {
  await run(
    `insert into ${schema}.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_id, key) do update
     set request_hash = excluded.request_hash, quotation_id = excluded.quotation_id, created_at = excluded.created_at`,
    [quotation.organization_id, key, requestHash, quotation.id, quotation.created_at],
  )
}
