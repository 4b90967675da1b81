import type { FileStorage } from '../files/file-storage.ts'
import { answerInTime } from '../lib/answer-in-time.ts'
import { IntegrationError } from '../lib/errors.ts'
import { ERASED, type Erasure, type LeftToHost, type RequestedBy } from '../model/erasure.ts'
import { checkMemberIds, checkOrganizationId } from '../model/ids.ts'
import type { Settings } from '../settings.ts'
import type { OpenErasure } from '../storage/erasure.ts'
import type { Storage } from '../storage/storage.ts'
import { auditEntry } from './audit-log.ts'
import { exportOrganization } from './export-organization.ts'

export interface EraseOrganization extends RequestedBy {
  /**
   * Keeps the entries of the audit log, with who and when alone: names, changes and addresses are erased. They still name
   * the organization. Default false: the log is removed, as the last.
   */
  readonly keepAuditLog?: boolean
}

/** Whole organizations, for the host's own code: no route reaches them. */
export interface Organizations {
  /**
   * Begins to erase everything that is an organization's. When it resolves, its API keys are revoked, its endpoints and their
   * secrets deleted, and whatever would add something of it is refused with ORGANIZATION_ERASED. Workers remove the rest,
   * batch by batch; `erasure` says how far they are. A second call answers with the state of the first, unless something of
   * the organization was added after that.
   *
   * Once it is erased, no row of ours names the organization: a hash of its id and counts are kept. Its id is free again.
   * @throws IntegrationError VALIDATION_FAILED
   */
  erase(organizationId: string, options?: EraseOrganization): Promise<Erasure>
  /** How far erasing the organization is; null: nobody asked for it. */
  erasure(organizationId: string): Promise<Erasure | null>
  /**
   * Everything that is an organization's, to be handed over, as lines of JSON: `{ position, type, data }`. Keys come without
   * their values, endpoints without their secrets, and files by their ids: `requirementsFiles.read` has their bytes.
   * Quotations in tables of the host are not in it. At most 100 rows are in memory, and no transaction is held: what is written
   * meanwhile may be in it.
   * @param options.after the `position` of the last line that was kept: it goes on behind it
   * @throws IntegrationError VALIDATION_FAILED
   */
  export(organizationId: string, options?: { readonly after?: string }): AsyncIterable<string>
  /** @throws IntegrationError ORGANIZATION_ERASED while the organization is being erased */
  refuseErasing(organizationId: string): Promise<void>
}

/** Rows that one statement removes. */
const BATCH = 1000
/** Files that are deleted, and quotations of the host that are looked at, at once. */
const FEW = 100

export function createOrganizations(storage: Storage, settings: Settings): Organizations {
  async function erasure(organizationId: string): Promise<Erasure | null> {
    checkOrganizationId(organizationId)
    return storage.erasure.find(organizationId.toLowerCase())
  }

  return {
    async erase(given, { by, keepAuditLog = false } = {}) {
      checkOrganizationId(given)
      if (by !== undefined) checkMemberIds({ organizationId: given, memberId: by })
      const organizationId = given.toLowerCase()
      const now = settings.now()
      const entry = auditEntry({
        by: { organizationId, memberId: by ?? null },
        action: 'organization.erased',
        resource: { id: organizationId, name: ERASED },
        changes: [],
        at: now,
      })
      await storage.erasure.begin(organizationId, { keepAuditLog, entry, now })
      const begun = await erasure(organizationId)
      if (begun === null) throw new Error('The erasing of an organization has not begun.')
      return begun
    },

    erasure,

    export: (organizationId, { after } = {}) => exportOrganization(storage.exports, organizationId, after),

    async refuseErasing(organizationId) {
      if (await storage.erasure.isErasing(organizationId)) throw new IntegrationError('ORGANIZATION_ERASED')
    },
  }
}

/** What carries on with erasing: see `Integrations.continueErasing`. */
export async function continueErasing({
  storage,
  files,
  settings,
}: {
  storage: Storage
  files: FileStorage
  settings: Settings
}): Promise<boolean> {
  const open = await storage.erasure.next()
  if (open === null) return false
  const { phase } = open
  try {
    if (phase === 'host_quotations') await eraseQuotationsOfHost(storage, settings, open)
    else if (phase === 'uploads') await deleteFiles(storage, files, settings, open)
    else if (phase === 'end') await storage.erasure.finish(open)
    else if (!(await storage.erasure.eraseBatch(open, BATCH)) && phase === 'waiting') return false
  } catch (error) {
    // Others have their turn before it is tried again.
    await storage.erasure.endPhase(open, { removed: 0, isOver: false })
    throw error
  }
  return true
}

/** Ours are gone by now. What the host cannot list or erase is left to it. */
async function eraseQuotationsOfHost(storage: Storage, settings: Settings, open: OpenErasure): Promise<void> {
  const { organizationId } = open
  const ids = await quotationsOf(storage, organizationId)
  let removed = 0
  let leftToHost: readonly LeftToHost[] = ids === undefined ? ['quotations', 'files'] : []
  for (const id of ids ?? []) {
    const fileIds = await storage.transaction(async (transaction) => {
      const erased = await transaction.quotations.erase(organizationId, id)
      const filesOfIt = (erased ?? []).map((file) => ({ id: file, organization_id: organizationId }))
      await transaction.uploads.queueForDeletion(filesOfIt, settings.now())
      return erased
    })
    if (fileIds === null) {
      leftToHost = ['quotations', 'files']
      break
    }
    removed += 1
  }
  if (leftToHost.length === 0) await requireGone(storage, organizationId, ids ?? [])
  const isOver = leftToHost.length > 0 || removed === 0
  await storage.erasure.endPhase(open, { removed, isOver, leftToHost })
}

/** The next batch would be this one again, for ever. */
async function requireGone(storage: Storage, organizationId: string, ids: readonly string[]): Promise<void> {
  const left = await quotationsOf(storage, organizationId)
  const id = left?.find((one) => ids.includes(one))
  if (id !== undefined) {
    throw new Error(`quotations.erase deleted nothing: quotations.list still returns ${id}.`)
  }
}

async function quotationsOf(storage: Storage, organizationId: string): Promise<string[] | undefined> {
  const all = { status: null, source: null, created_since: null, created_until: null }
  const found = await storage.quotations.list?.(organizationId, all, { after: null, limit: FEW })
  return found?.map(({ id }) => id)
}

async function deleteFiles(
  { uploads, erasure, files: ours }: Storage,
  files: FileStorage,
  { hookTimeoutMs }: Settings,
  open: OpenErasure,
): Promise<void> {
  const found = await erasure.findFiles(open.organizationId, FEW)
  if (found.length > 0) {
    await answerInTime('files.delete', hookTimeoutMs, () => files.delete(found))
    // They may have been stored before the host had a storage of its own.
    if (files !== ours) await ours.delete(found)
    await uploads.forget(found)
  } else if (files.erase !== undefined) {
    await answerInTime('files.erase', hookTimeoutMs, async () => files.erase?.(open.organizationId))
  }
  await erasure.endPhase(open, { removed: found.length, isOver: found.length === 0 })
}
