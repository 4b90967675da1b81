import type { Storage } from '@quickquote/core/internal'
import { batched } from '../connection/batched.ts'
import { type Database, oneAtATime, type UnhurriedDatabase } from '../connection/database.ts'
import { auditStorage } from './audit-log.ts'
import * as sql from './erasure.sql.ts'

/** History is changed by functions of the schema's owner. */
export function erasureStorage(
  database: Database,
  { removeRows, removeAuditLog, finish }: BatchErasing,
): Storage['erasure'] {
  const { call, run, one, wake } = database
  const erasing = batched(async (ids) => {
    const found = await run(sql.FIND_ERASING, { organization_ids: ids })
    return new Map(found.map(({ id }) => [id, true]))
  })
  return {
    removeRows,
    removeAuditLog,
    finish,

    eraseHistory: (organizationId, quotationId, since) =>
      call('erasure.eraseHistory', async () => {
        const erased = await one(sql.ERASE_HISTORY, {
          organization_id: organizationId,
          quotation_id: quotationId,
          since,
        })
        // Workers check whether they are running something that was erased.
        await wake('anything')
        return erased
      }),

    findErased: (quotations) =>
      call('erasure.findErased', async () => {
        if (quotations.length === 0) return new Set()
        const erased = await run(sql.FIND_ERASED, {
          ids: quotations.map(({ id }) => id),
          organization_ids: quotations.map(({ organization_id }) => organization_id),
          since: quotations.map(({ since }) => since ?? 'infinity'),
        })
        return new Set(erased.map(({ id }) => id))
      }),

    begin: (organizationId, { keepAuditLog, entry, now }) =>
      call('erasure.begin', async () => {
        // Locks no row of the organization, so it waits for nobody.
        await database.transaction(async (transaction) => {
          await oneAtATime(transaction, `erasing ${organizationId}`)
          const begun = { organization_id: organizationId, keeps_audit_log: keepAuditLog }
          if ((await transaction.one(sql.IS_BEGUN, begun)).begun) return
          await auditStorage(transaction).record(entry)
          await transaction.run(sql.BEGIN_ERASURE, { ...begun, now })
          await transaction.wake('anything')
        })
        await run(sql.END_ENDPOINTS, { organization_id: organizationId })
      }),

    find: (organizationId) =>
      call('erasure.find', async () => {
        const [found] = await run(sql.FIND_ERASURE, { organization_id: organizationId })
        return found ?? null
      }),

    count: (organizationId) =>
      call('erasure.count', async () => {
        const counted = await run(sql.COUNT_OF_ORGANIZATION, { organization_id: organizationId })
        return Object.fromEntries(counted.map(({ name, rows }) => [name, rows]))
      }),

    isErasing: (organizationId) =>
      call('erasure.isErasing', async () => (await erasing(organizationId)) !== undefined),

    next: () =>
      call('erasure.next', async () => {
        const [next] = await run(sql.NEXT_ERASURE)
        return next === undefined
          ? null
          : { organizationId: next.organization_id, isHostAsked: next.is_host_asked }
      }),

    countRemoved: (organizationId, removed) =>
      call('erasure.countRemoved', async () => {
        await run(sql.COUNT_REMOVED, { organization_id: organizationId, removed: JSON.stringify(removed) })
      }),

    setLeftToHost: (organizationId, leftToHost) =>
      call('erasure.setLeftToHost', async () => {
        await run(sql.SET_LEFT_TO_HOST, {
          organization_id: organizationId,
          left_to_host: JSON.stringify(leftToHost),
        })
      }),

    findFiles: (organizationId, limit) =>
      call('erasure.findFiles', async () => {
        const files = await run(sql.FIND_FILES, { organization_id: organizationId, limit })
        return files.map(({ id }) => ({ id, organization_id: organizationId }))
      }),

    forgetFiles: (organizationId, files) =>
      call('erasure.forgetFiles', async () => {
        const ids = files.map(({ id }) => id)
        const [counted] = await run(sql.FORGET_FILES, { organization_id: organizationId, ids })
        return counted?.removed ?? 0
      }),

    postpone: (organizationId) =>
      call('erasure.postpone', async () => {
        await run(sql.POSTPONE_ERASURE, { organization_id: organizationId, ms: 0 })
      }),
  }
}

/** The slow parts. */
export type BatchErasing = Pick<Storage['erasure'], 'removeRows' | 'removeAuditLog' | 'finish'>

/** Something else holds a lock on what is left, or a file is being uploaded. */
const LEFT_MS = 5000
/** While it waits for transactions, it looks at least this often. */
const OPEN_MS = 60_000

/** One at a time for each organization. */
export function batchErasing({ call, transaction }: UnhurriedDatabase): BatchErasing {
  async function remove(tables: typeof sql.REMOVE_ROWS, organization_id: string, limit: number) {
    return transaction(async ({ run, one }) => {
      if ((await run(sql.LOCK_ERASURE, { organization_id })).length === 0) return null
      await run(sql.END_ENDPOINTS, { organization_id })
      const counts: Record<string, number> = {}
      let total = 0
      for (const { name, removal } of tables) {
        if (total >= limit) break
        const { removed } = await one(removal, { organization_id, limit: limit - total })
        if (removed > 0) counts[name] = removed
        total += removed
      }
      await run(sql.COUNT_REMOVED, { organization_id, removed: JSON.stringify(counts) })
      return total
    })
  }

  return {
    removeRows: (organizationId, limit) =>
      call('erasure.removeRows', () => remove(sql.REMOVE_ROWS, organizationId, limit)),
    removeAuditLog: (organizationId, limit) =>
      call('erasure.removeAuditLog', () => remove(sql.REMOVE_AUDIT_LOG, organizationId, limit)),

    finish: (organization_id) =>
      call('erasure.finish', async () => {
        await transaction(async ({ run, one }) => {
          const [locked] = await run(sql.LOCK_ERASURE, { organization_id })
          if (locked === undefined) return
          const isOpen = locked.finished && (await one(sql.IS_OPEN, { organization_id })).open
          const look = locked.finished ? sql.LOOK_AGAIN : sql.LOOK
          const isLeft = !isOpen && (await one(look, { organization_id })).left
          await run(sql.POSTPONE_ERASURE, { organization_id, ms: isLeft ? LEFT_MS : OPEN_MS })
        })
      }),
  }
}
