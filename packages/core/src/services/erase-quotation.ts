import type { RequirementsFiles } from '../files/requirements-file.ts'
import { IntegrationError } from '../lib/errors.ts'
import { isUuid } from '../lib/tenancy.ts'
import { ERASED, type ErasedQuotation, type LeftToHost, type RequestedBy } from '../model/erasure.ts'
import { checkOrganizationId } from '../model/ids.ts'
import type { Context } from '../settings.ts'
import { audit, authorOf } from './audit-log.ts'

/** Clocks differ: looks for events from this long before the quotation was accepted. */
const CLOCK_SKEW_MS = 60 * 60 * 1000

/** See `Quotations.erase`. Files are deleted after the commit; if the host commits, by a worker. */
export async function eraseQuotation(
  { storage, settings }: Context<'quotations' | 'erasure' | 'uploads' | 'auditLog'>,
  /** Null inside a transaction of the host. */
  requirementsFiles: Pick<RequirementsFiles, 'discard'> | null,
  organizationId: string,
  quotationId: string,
  options?: RequestedBy,
): Promise<ErasedQuotation> {
  checkOrganizationId(organizationId)
  const by = authorOf(organizationId.toLowerCase(), options)
  if (!isUuid(quotationId)) throw new IntegrationError('QUOTATION_NOT_FOUND')
  const [organization_id, id] = [organizationId.toLowerCase(), quotationId.toLowerCase()]

  await settings.clock.ready()
  const { fileIds, ...erased } = await storage.transaction(async (transaction) => {
    const found = await transaction.quotations.lockForErasing(organization_id, id)
    if (found === 'other_organization') throw new IntegrationError('OTHER_ORGANIZATION')
    const wasErased = (await transaction.erasure.findErased([{ id, organization_id }])).has(id)
    if (found === 'unknown') {
      if (wasErased) return NOTHING_LEFT
      throw new IntegrationError('QUOTATION_NOT_FOUND')
    }
    const now = settings.now()
    const since = new Date(found.created_at.getTime() - CLOCK_SKEW_MS)
    const history = await transaction.erasure.eraseHistory(organization_id, id, since)
    const fileIds = await transaction.quotations.erase(organization_id, id)
    // Deleted after the commit by us or by a worker.
    const files = filesOf(fileIds ?? [], organization_id)
    await transaction.uploads.queueForDeletion(files, now)
    if (!wasErased) {
      await audit(transaction, 'quotation.erased', { id, name: ERASED }, { by, at: now })
    }
    const left: readonly LeftToHost[] = fileIds === null ? ['quotations', 'files'] : []
    return { ...history, fileIds: fileIds ?? [], left_to_host: left }
  })
  await requirementsFiles?.discard(filesOf(fileIds, organization_id))
  return { quotation_id: id, ...erased, files: fileIds.length }
}

const NOTHING_LEFT = {
  events: 0,
  deliveries: 0,
  attempts: 0,
  fileIds: [] as readonly string[],
  left_to_host: [] as readonly LeftToHost[],
}

function filesOf(ids: readonly string[], organization_id: string) {
  return ids.map((id) => ({ id, organization_id }))
}
