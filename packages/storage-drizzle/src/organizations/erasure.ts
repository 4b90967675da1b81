import type { ErasureStorage } from '@quickquote/core/internal'
import { batched } from '../connection/batched.ts'
import type { Database, UnhurriedDatabase } from '../connection/database.ts'
import { oneAtATime } from '../connection/one-at-a-time.ts'
import { toDate } from '../connection/readable.ts'
import { auditStorage } from './audit-log.ts'
import {
  BEGIN_ERASURE,
  COUNT_OF_ORGANIZATION,
  END_ERASURE,
  END_PHASE,
  ERASE_BATCH,
  ERASE_HISTORY,
  FIND_ERASED,
  FIND_ERASING,
  FIND_ERASURE,
  FIND_FILES,
  IS_BEGUN,
  LOCK_ERASURE,
  NEXT_ERASURE,
  NOBODY_ADDS,
  phaseAfter,
} from './erasure.sql.ts'

/** See ErasureStorage. History is changed by functions of the schema's owner. */
export function erasureStorage(database: Database): Omit<ErasureStorage, keyof BatchErasing> {
  const { run, wake } = database
  const erasing = batched(async (ids) => {
    const found = await run(FIND_ERASING, { organization_ids: ids })
    return new Map(found.map(({ id }) => [id, true]))
  })
  return {
    async eraseHistory(organizationId, quotationId, since) {
      const [erased] = await run(ERASE_HISTORY, {
        organization_id: organizationId,
        quotation_id: quotationId,
        since,
      })
      // Workers check whether they are running something that was erased.
      await wake()
      return erased ?? { events: 0, deliveries: 0, attempts: 0 }
    },

    async findErased(quotations) {
      if (quotations.length === 0) return new Set()
      const erased = await run(FIND_ERASED, {
        ids: quotations.map(({ id }) => id),
        organization_ids: quotations.map(({ organization_id }) => organization_id),
        since: quotations.map(({ since }) => since ?? 'infinity'),
      })
      return new Set(erased.map(({ id }) => id))
    },

    async begin(organizationId, { keepAuditLog, entry, now }) {
      await database.transaction(async (transaction) => {
        await oneAtATime(transaction, `erasing ${organizationId}`)
        const begun = { organization_id: organizationId, keeps_audit_log: keepAuditLog }
        const [known] = await transaction.run(IS_BEGUN, begun)
        if (known?.begun) return
        await auditStorage(transaction).record(entry)
        await transaction.run(BEGIN_ERASURE, { ...begun, now })
        await transaction.wake()
      })
    },

    async find(organizationId) {
      const [found] = await run(FIND_ERASURE, { organization_id: organizationId })
      if (found === undefined) return null
      const { phase, removed, left, started, erased } = found
      return {
        status: erased === null ? 'erasing' : 'erased',
        phase,
        removed,
        left_to_host: left,
        started_at: toDate(started),
        erased_at: toDate(erased),
      }
    },

    async count(organizationId) {
      const counted = await run(COUNT_OF_ORGANIZATION, { organization_id: organizationId })
      return Object.fromEntries(counted.map(({ name, rows }) => [name, rows]))
    },

    async isErasing(organizationId) {
      return (await erasing(organizationId)) !== undefined
    },

    async next() {
      const [open] = await run(NEXT_ERASURE)
      if (open === undefined) return null
      return { organizationId: open.organization, phase: open.phase, keepAuditLog: open.keeps }
    },

    async endPhase({ organizationId, phase }, { removed, isOver, leftToHost }) {
      await run(END_PHASE, {
        organization_id: organizationId,
        phase,
        next: isOver ? phaseAfter(phase) : null,
        removed,
        left_to_host: leftToHost === undefined ? null : JSON.stringify(leftToHost),
      })
    },

    async findFiles(organizationId, limit) {
      const files = await run(FIND_FILES, { organization_id: organizationId, limit })
      return files.map(({ id }) => ({ id, organization_id: organizationId }))
    },
  }
}

/** The slow parts. */
export type BatchErasing = Pick<ErasureStorage, 'eraseBatch' | 'finish'>

/** Batches of an organization run one at a time: a batch that had to wait finds the next phase. */
export function batchErasing({ transaction }: UnhurriedDatabase): BatchErasing {
  return {
    async eraseBatch({ organizationId, phase }, limit) {
      const statement = ERASE_BATCH[phase]
      if (statement === undefined) throw new Error(`No statement empties ${phase}.`)
      return transaction(async (run) => {
        const locked = await run(LOCK_ERASURE, { organization_id: organizationId, phase })
        if (locked.length === 0) return true
        const [counted] = await run(statement, { organization_id: organizationId, limit })
        return counted?.over ?? true
      })
    },

    async finish({ organizationId, phase }) {
      const organization_id = organizationId
      await transaction(async (run) => {
        const locked = await run(LOCK_ERASURE, { organization_id, phase })
        if (locked.length === 0) return
        const [found] = await run(NOBODY_ADDS, { organization_id })
        await run(END_ERASURE, { organization_id, is_alone: found?.alone ?? false })
      })
    },
  }
}
