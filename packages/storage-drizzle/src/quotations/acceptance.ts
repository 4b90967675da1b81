import type { NewQuotation } from '@quickquote/core'
import type { Acceptance, Idempotency } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { takeUploads } from './files.ts'
import { lookUpKey, rememberKey } from './idempotency-keys.ts'

/**
 * Accepts a quotation, unless its idempotency key was already used: takes over its uploads, calls `insert`, and wakes
 * the workers. All or nothing.
 */
export async function accept(
  database: Database,
  quotation: NewQuotation,
  idempotency: Idempotency | null,
  insert: (database: Database) => Promise<void>,
): Promise<Acceptance> {
  const { organization_id, files, created_at } = quotation
  // The common case is one statement; look-ups need a transaction around it.
  if (idempotency === null && files.length === 0) {
    await insert(database)
    await database.wake()
    return { kind: 'accepted' }
  }
  return database.transaction(async (transaction) => {
    if (idempotency !== null) {
      const known = await lookUpKey(transaction, organization_id, idempotency, created_at)
      if (known !== null) return known
    }
    await takeUploads(
      transaction,
      organization_id,
      files.map(({ id }) => id),
    )
    await insert(transaction)
    if (idempotency !== null) await rememberKey(transaction, quotation, idempotency)
    await transaction.wake()
    return { kind: 'accepted' }
  })
}
