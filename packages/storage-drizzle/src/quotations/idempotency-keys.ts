import { type Acceptance, IDEMPOTENCY_WINDOW_MS, type Idempotency } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { FIND_KEY, LOCK_KEY, REMEMBER_KEY } from './idempotency-keys.sql.ts'

/**
 * Looks up the request accepted under a key, within the accepting transaction, and locks the key until it ends. null:
 * the key is free.
 */
export async function lookUpKey(
  { run, schema }: Database,
  organizationId: string,
  { key, requestHash }: Idempotency,
  now: Date,
): Promise<Exclude<Acceptance, { kind: 'accepted' }> | null> {
  const [lock] = await run(LOCK_KEY, { lock: `${schema} idempotency ${organizationId} ${key}` })
  if (!lock?.taken) return { kind: 'key_in_use' }
  const [known] = await run(FIND_KEY, {
    organization_id: organizationId,
    key,
    request_hash: requestHash,
    since: new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS),
  })
  if (known === undefined) return null
  return known.same ? { kind: 'repeated', quotation_id: known.quotation } : { kind: 'key_reused' }
}

/** Records the accepted request of a key in the same transaction. */
export async function rememberKey(
  { run }: Database,
  quotation: { id: string; organization_id: string; created_at: Date },
  { key, requestHash }: Idempotency,
): Promise<void> {
  await run(REMEMBER_KEY, {
    organization_id: quotation.organization_id,
    key,
    request_hash: requestHash,
    quotation_id: quotation.id,
    created_at: quotation.created_at,
  })
}
