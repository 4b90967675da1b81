import type { NewQuotation } from '@quickquote/core'
import { type Acceptance, IDEMPOTENCY_WINDOW_MS, type Idempotency } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { TRY_LOCK } from '../connection/locks.sql.ts'
import { CLAIM_KEY, FIND_KEY } from './acceptance.sql.ts'
import { takeUploads } from './files.ts'

/**
 * Begins to accept a quotation, in the transaction that inserts it: claims its idempotency key and takes over its
 * uploads.
 * @returns null; or, if the key is in use, the result
 */
export async function claimForAcceptance(
  { run, one, schema }: Database,
  { id, organization_id, files, created_at }: NewQuotation,
  idempotency: Idempotency | null,
): Promise<Acceptance | null> {
  if (idempotency !== null) {
    const { key, requestHash: request_hash } = idempotency
    const { taken } = await one(TRY_LOCK, { what: `${schema} idempotency ${organization_id} ${key}` })
    if (!taken) return { kind: 'key_in_use' }
    const request = { organization_id, key, request_hash, quotation_id: id, created_at }
    const since = new Date(created_at.getTime() - IDEMPOTENCY_WINDOW_MS)
    if ((await run(CLAIM_KEY, { ...request, since })).length === 0) {
      const [known] = await run(FIND_KEY, request)
      return known?.is_same ? { kind: 'repeated', quotation_id: known.quotation_id } : { kind: 'key_reused' }
    }
  }
  const ids = files.map(({ id }) => id)
  await takeUploads({ run }, organization_id, ids)
  return null
}
