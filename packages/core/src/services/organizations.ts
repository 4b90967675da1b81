import { answerInTime } from '../lib/answer-in-time.ts'
import { IntegrationError } from '../lib/errors.ts'
import { ERASED, type Erasure, type LeftToHost, type RequestedBy } from '../model/erasure.ts'
import { checkOrganizationId } from '../model/ids.ts'
import { ANY_QUOTATION } from '../model/quotation.ts'
import type { Context } from '../settings.ts'
import type { OpenErasure } from '../storage/erasure.ts'
import type { FileStorage } from '../storage/files.ts'
import type { Storage } from '../storage/storage.ts'
import { auditEntry, authorOf } from './audit-log.ts'
import { exportOrganization } from './export-organization.ts'

export interface EraseOrganization extends RequestedBy {
  /**
   * Keeps the actors and times of audit log entries, and the organization's id. Names, changes and addresses are
   * erased. Default false: the log is removed last.
   */
  readonly keepAuditLog?: boolean
}

/** Erases and exports whole organizations. For the host's own code: no route reaches it. */
export interface Organizations {
  /**
   * Starts erasing an organization. Once this resolves, its API keys are revoked, its endpoints and secrets deleted,
   * and additions are refused with ORGANIZATION_ERASED. Workers remove the rest in batches; `erasure` returns their
   * progress. A second call returns the state of the first, unless data of the organization has been added since.
   *
   * It is `erased` once nothing is left, and every transaction that was open on the database at that moment has ended.
   * Then only a hash of the organization's id and counts remain, and the id can be used again.
   * @throws IntegrationError VALIDATION_FAILED
   */
  erase(organizationId: string, options?: EraseOrganization): Promise<Erasure>
  /** The progress of erasing the organization. null: it was never requested. */
  erasure(organizationId: string): Promise<Erasure | null>
  /**
   * Exports all data of an organization as JSON lines: `{ position, type, data }`. Without key values, endpoint
   * secrets, the host's own quotations, and the bytes of files: read those with `requirementsFiles.read`. Holds at most
   * 100 rows in memory and no transaction, so concurrent writes may be included.
   * @param options.after the `position` of the last line you have: continues after it
   * @throws IntegrationError VALIDATION_FAILED
   */
  export(organizationId: string, options?: { readonly after?: string }): AsyncIterable<string>
  /** @throws IntegrationError ORGANIZATION_ERASED while the organization is being erased */
  refuseErasing(organizationId: string): Promise<void>
}

/** Rows per statement. Few, so that nothing else waits long for the processor or the disk. */
const BATCH = 250
/** Files to delete, and quotations of the host to check, at a time. */
const FEW = 100

export function createOrganizations({ storage, settings }: Context<'erasure' | 'exports'>): Organizations {
  async function erasure(organizationId: string): Promise<Erasure | null> {
    checkOrganizationId(organizationId)
    return storage.erasure.find(organizationId.toLowerCase())
  }

  return {
    async erase(given, options = {}) {
      const { keepAuditLog = false } = options
      checkOrganizationId(given)
      const organizationId = given.toLowerCase()
      await settings.clock.ready()
      const now = settings.now()
      const resource = { id: organizationId, name: ERASED }
      const by = authorOf(organizationId, options)
      const entry = auditEntry('organization.erased', resource, { by, at: now })
      await storage.erasure.begin(organizationId, { keepAuditLog, entry, now })
      const begun = await erasure(organizationId)
      if (begun === null) throw new Error('Erasing this organization has not begun.')
      return begun
    },

    erasure,

    export: (organizationId, { after } = {}) => exportOrganization(storage.exports, organizationId, after),

    async refuseErasing(organizationId) {
      if (await storage.erasure.isErasing(organizationId)) throw new IntegrationError('ORGANIZATION_ERASED')
    },
  }
}

interface Parts extends Context<'erasure' | 'quotations' | 'uploads' | 'files'> {
  /** The host's, or ours. */
  readonly files: FileStorage
}

/** See `Integrations.continueErasing`. */
export async function continueErasing(parts: Parts): Promise<boolean> {
  const open = await parts.storage.erasure.next()
  if (open === null) return false
  try {
    await eraseSome(parts, open)
  } catch (error) {
    await parts.storage.erasure.postpone(open.organizationId)
    throw error
  }
  return true
}

/** One step. The row of the erasure is the only state, so a step that dies is simply repeated. */
async function eraseSome(parts: Parts, { organizationId, isHostAsked }: OpenErasure): Promise<void> {
  const { erasure } = parts.storage
  if ((await erasure.removeRows(organizationId, BATCH)) !== 0) return
  const quotations = await eraseQuotationsOfHost(parts, organizationId)
  if (quotations.removed > 0) return
  if ((await deleteFiles(parts, organizationId)) > 0) return
  if (!isHostAsked) {
    const { files, settings } = parts
    if (files.erase !== undefined) {
      await answerInTime('files.erase', settings.hookTimeoutMs, async () => files.erase?.(organizationId))
    }
    await erasure.setLeftToHost(organizationId, quotations.leftToHost)
  }
  if ((await erasure.removeAuditLog(organizationId, BATCH)) !== 0) return
  await erasure.finish(organizationId)
}

/** Our own quotations are gone by now. Whatever the host cannot list or erase is left to it. */
async function eraseQuotationsOfHost(
  { storage, settings }: Parts,
  organizationId: string,
): Promise<{ removed: number; leftToHost: readonly LeftToHost[] }> {
  const ids = await quotationsOf(storage, organizationId)
  const unable = { removed: 0, leftToHost: ['quotations', 'files'] as const }
  if (ids === undefined) return unable
  const count = (removed: number) =>
    storage.erasure.countRemoved(organizationId, { host_quotations: removed })
  let removed = 0
  try {
    for (const id of ids) {
      const fileIds = await storage.transaction(async (transaction) => {
        const erased = await transaction.quotations.erase(organizationId, id)
        const filesOfIt = (erased ?? []).map((file) => ({ id: file, organization_id: organizationId }))
        await transaction.uploads.queueForDeletion(filesOfIt, settings.now())
        return erased
      })
      if (fileIds === null) return unable
      removed += 1
    }
  } catch (error) {
    // Those before it are committed, and will not be listed again.
    if (removed > 0) await count(removed)
    throw error
  }
  if (removed > 0) {
    await requireGone(storage, organizationId, ids)
    await count(removed)
  }
  return { removed, leftToHost: [] }
}

/** Otherwise the next batch would be the same one, forever. */
async function requireGone(
  storage: Pick<Storage, 'quotations'>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const left = await quotationsOf(storage, organizationId)
  const id = left?.find((one) => ids.includes(one))
  if (id !== undefined) {
    throw new Error(`quotations.erase deleted nothing: quotations.list still returns ${id}.`)
  }
}

async function quotationsOf(
  storage: Pick<Storage, 'quotations'>,
  organizationId: string,
): Promise<string[] | undefined> {
  const page = { after: null, limit: FEW }
  const found = await storage.quotations.list?.(organizationId, ANY_QUOTATION, page)
  return found?.map(({ id }) => id)
}

/** The bytes first: a record without bytes is found again, bytes without a record are not. */
async function deleteFiles(
  { storage: { erasure, files: ours }, files, settings }: Parts,
  organizationId: string,
): Promise<number> {
  const found = await erasure.findFiles(organizationId, FEW)
  if (found.length === 0) return 0
  await answerInTime('files.delete', settings.hookTimeoutMs, () => files.delete(found))
  // They may be older than the host's own file storage.
  if (files !== ours) await ours.delete(found)
  return erasure.forgetFiles(organizationId, found)
}
