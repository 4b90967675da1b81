import type { ReceivedFile, RequirementsFiles } from '../files/requirements-file.ts'
import { callHost } from '../lib/call-host.ts'
import { IntegrationError, invalidField } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { type Page, readPage } from '../lib/page.ts'
import { OneOf, Uuid } from '../lib/schema.ts'
import { requireFound } from '../lib/tenancy.ts'
import { parseUrl } from '../lib/text.ts'
import { optionalTimeOf } from '../lib/timestamp.ts'
import { activeTraceContext, parseTraceContext } from '../lib/trace-context.ts'
import { Type } from '../lib/type.ts'
import { validate, validateUrlPart } from '../lib/validator.ts'
import type { ErasedQuotation, RequestedBy } from '../model/erasure.ts'
import { idempotencyOf } from '../model/idempotency.ts'
import { checkOrganizationId, OrganizationId } from '../model/ids.ts'
import { checkMetadata } from '../model/metadata.ts'
import { decideCancellation } from '../model/progress.ts'
import {
  type DocumentUrl,
  PipelineStatus,
  type Proposal,
  type Quotation,
  QuotationListQuery,
  SOURCES,
  type Source,
  type StartedQuotation,
  type StartQuotationBody,
  startQuotationBody,
} from '../model/quotation.ts'
import type { Context, Settings } from '../settings.ts'
import type { Acceptance, QuotationStorage } from '../storage/quotations.ts'
import { eraseQuotation } from './erase-quotation.ts'
import { applyDecision } from './reporter.ts'

export interface StartQuotation {
  /** A uuid. */
  readonly organizationId: string
  readonly source: Source
  /** The API key that started the quote, for the source `api_key`. */
  readonly apiKeyId?: string
  /** The body of the start request. It is validated, so input of a client may be passed as it is. */
  readonly body: StartQuotationBody
  /** Files from `requirementsFiles.receive`. Removed if the start is refused. */
  readonly files?: readonly ReceivedFile[]
  /** Repeating a start with the same key and the same request within 24 hours starts nothing and returns the first result. */
  readonly idempotencyKey?: string
  /** The W3C Trace Context headers of the client, used unless a span is active. Invalid values are ignored. */
  readonly traceHeaders?: Readonly<Record<string, unknown>>
}

/** `repeated`: an earlier request with the same idempotency key started the quote. */
export interface StartResult extends StartedQuotation {
  readonly repeated: boolean
}

export interface Quotations {
  /**
   * Accepts a quote. Once this resolves, the quotation and the order to start its pipeline are committed.
   * @throws IntegrationError VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE
   */
  start(request: StartQuotation): Promise<StartResult>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION */
  get(organizationId: string, id: string): Promise<Quotation>
  /**
   * Lists an organization's quotations, newest first. `query` is a QuotationListQuery. Absent if the host's own
   * quotations have no `list`.
   * @throws IntegrationError VALIDATION_FAILED
   */
  list?(organizationId: string, query?: unknown): Promise<Page<Quotation>>
  /**
   * Cancels a quote: it fails at once with CANCELLED and `quotation.failed`, and later reports are refused. If it has
   * been handed to the pipeline, the `signal` of a start in progress aborts, and a worker calls `pipeline.cancel`;
   * otherwise it never will be. Safe to repeat. Absent if the host's own quotations have no `cancel`.
   * @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, QUOTATION_ENDED if it ended otherwise
   */
  cancel?(organizationId: string, id: string): Promise<Quotation>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, SERVICE_UNAVAILABLE, INTERNAL_ERROR */
  pipelineStatus(organizationId: string, id: string): Promise<PipelineStatus>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, PROPOSAL_NOT_FOUND, OTHER_ORGANIZATION */
  proposal(organizationId: string, quotationId: string): Promise<Proposal>
  /**
   * @throws IntegrationError PROPOSAL_NOT_FOUND, DOCUMENT_NOT_READY, OTHER_ORGANIZATION, SERVICE_UNAVAILABLE,
   * INTERNAL_ERROR
   */
  documentUrl(organizationId: string, proposalId: string): Promise<DocumentUrl>
  /**
   * Erases a quotation with its steps, proposal, files, metadata, order to start and idempotency key, and the bodies
   * and recorded responses of its events. A run's `signal` aborts within `pollIntervalMs`; pending deliveries end. The
   * delivery log keeps ids, times and statuses, with `[erased]` for the rest, and the audit log gets one entry.
   * Delivered events cannot be recalled.
   *
   * Safe to repeat. Files that cannot be deleted now, and all files inside `within(tx)`, are deleted later by a worker.
   * @param options.by the member who requested it, for the audit log
   * @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, VALIDATION_FAILED
   */
  erase(organizationId: string, id: string, options?: RequestedBy): Promise<ErasedQuotation>
}

/** The parts of a StartQuotation that come from the host itself. */
const Origin = Type.Object({
  organizationId: OrganizationId,
  source: OneOf(SOURCES),
  apiKeyId: Type.Optional(Uuid),
})

type QuotationContext = Context<'quotations' | 'events' | 'erasure' | 'uploads' | 'auditLog'>

export function createQuotations(
  context: QuotationContext,
  requirementsFiles: Pick<RequirementsFiles, 'discard'>,
  { isBound }: { readonly isBound: boolean },
): Quotations {
  const { storage, settings } = context
  const { list: listed, cancelStart } = storage.quotations
  return {
    start: (request) => start(context, requirementsFiles, request),

    async get(organizationId, id) {
      checkOrganizationId(organizationId)
      return requireFound(await storage.quotations.find(organizationId, id), 'QUOTATION_NOT_FOUND')
    },

    ...(listed && {
      list: (organizationId: string, query: unknown = {}) => list(settings, listed, organizationId, query),
    }),

    ...(cancelStart && {
      cancel: (organizationId: string, id: string) => cancel(context, organizationId, id),
    }),

    async pipelineStatus(organizationId, id) {
      checkOrganizationId(organizationId)
      const found = await storage.quotations.findPipelineStatus(organizationId, id)
      const status = requireFound(found, 'QUOTATION_NOT_FOUND')
      const { pipeline } = settings
      const ofHost = pipeline.status
      if (ofHost === undefined) return status
      const answer = await callPipeline(settings, 'status', () => ofHost.call(pipeline, id))
      if (isStatusOf(id, answer)) return answer
      throw invalidResult(settings, 'status', 'something other than the status of this quotation')
    },

    async proposal(organizationId, quotationId) {
      checkOrganizationId(organizationId)
      const found = await storage.quotations.findProposalOf(organizationId, quotationId)
      if (found === null) throw new IntegrationError('PROPOSAL_NOT_FOUND')
      return requireFound(found, 'QUOTATION_NOT_FOUND')
    },

    async documentUrl(organizationId, proposalId) {
      checkOrganizationId(organizationId)
      const found = await storage.quotations.findProposal(organizationId, proposalId)
      const { id, document_id } = requireFound(found, 'PROPOSAL_NOT_FOUND')
      if (document_id === null) throw new IntegrationError('DOCUMENT_NOT_READY')
      const document = { document_id, proposal_id: id, organization_id: organizationId }
      const link: unknown = await callPipeline(settings, 'signDocumentUrl', () =>
        settings.pipeline.signDocumentUrl(document),
      )
      if (isLink(link)) return { url: link.url, expires_at: new Date(link.expires_at) }
      throw invalidResult(settings, 'signDocumentUrl', 'something other than an HTTPS url with expires_at')
    },

    erase: (organizationId, id, options) =>
      eraseQuotation(context, isBound ? null : requirementsFiles, organizationId, id, options),
  }
}

/** Removes the files if the quote is not accepted. */
async function start(
  context: QuotationContext,
  requirementsFiles: Pick<RequirementsFiles, 'discard'>,
  request: StartQuotation,
): Promise<StartResult> {
  const { organizationId, files = [] } = request
  const discard = () =>
    requirementsFiles.discard(files.map(({ id }) => ({ id, organization_id: organizationId })))
  try {
    const started = await accept(context, request)
    if (started.repeated) await discard()
    return started
  } catch (error) {
    await discard()
    throw error
  }
}

async function accept(
  { storage, settings }: QuotationContext,
  request: StartQuotation,
): Promise<StartResult> {
  const { organizationId, source, apiKeyId, body, files = [], idempotencyKey, traceHeaders = {} } = request
  validate(Origin, { organizationId, source, apiKeyId })
  const fields = validate(startQuotationBody(settings.limits), body)
  const requirementsText = fields.requirementsText?.trim() ? fields.requirementsText : null
  if (requirementsText === null && files.length === 0) {
    throw invalidField('/requirementsText', 'is required unless at least one file is sent')
  }
  const metadata = fields.metadata ?? null
  checkMetadata(metadata, settings.limits.metadataBytes)
  const { name = null, description = null, config_id = null, external_id = null } = fields
  const contents = files.map((file) => [file.name, file.type, file.sha256])
  const content = [
    name,
    description,
    config_id?.toLowerCase() ?? null,
    requirementsText,
    metadata,
    contents,
    external_id,
  ]
  await settings.clock.ready()
  const now = settings.now()
  const id = newId(now)
  const acceptance = await storage.quotations.accept(
    {
      id,
      organization_id: organizationId,
      name: name?.trim() ? name : defaultName(now),
      description: description ?? '',
      config_id,
      external_id,
      source,
      api_key_id: apiKeyId ?? null,
      requirementsText,
      metadata,
      files: files.map(({ id, name, type, size }) => ({ id, name, type, size })),
      created_at: now,
      trace: activeTraceContext() ?? parseTraceContext(traceHeaders),
    },
    idempotencyKey === undefined ? null : idempotencyOf(idempotencyKey, content),
  )
  return { ...answerTo(acceptance, id), status: 'queued' }
}

async function list(
  settings: Settings,
  listed: NonNullable<QuotationStorage['list']>,
  organizationId: string,
  query: unknown,
): Promise<Page<Quotation>> {
  checkOrganizationId(organizationId)
  const asked = validateUrlPart(QuotationListQuery, query, '?')
  const filter = {
    status: asked.status ?? null,
    source: asked.source ?? null,
    created_since: optionalTimeOf(asked.created_since),
    created_until: optionalTimeOf(asked.created_until),
    external_id: asked.external_id ?? null,
  }
  return readPage(settings.keyring, { name: 'quotations', organizationId }, asked, (page) =>
    listed(organizationId, filter, page),
  )
}

async function cancel(
  { storage, settings }: QuotationContext,
  organizationId: string,
  id: string,
): Promise<Quotation> {
  checkOrganizationId(organizationId)
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const { quotations } = transaction
    const read = async () => requireFound(await quotations.find(organizationId, id), 'QUOTATION_NOT_FOUND')
    // Before a lock is taken: the quotation may be another organization's.
    await read()
    const { kind } = await applyDecision(transaction, settings, id, decideCancellation)
    if (kind === 'changed') await quotations.cancelStart?.(organizationId, id, settings.now())
    return read()
  })
}

function callPipeline<T>(
  { hookTimeoutMs, logger }: Settings,
  hook: 'status' | 'signDocumentUrl',
  call: () => T | PromiseLike<T>,
): Promise<T> {
  return callHost({ hook: `pipeline.${hook}`, timeoutMs: hookTimeoutMs, logger }, call)
}

/** A hook with an invalid result will return it again: a 500. The result may be a secret link, so it is not logged. */
function invalidResult({ logger }: Settings, hook: string, answer: string): IntegrationError {
  logger.error({ hook: `pipeline.${hook}` }, `a hook of the host returned ${answer}`)
  return new IntegrationError('INTERNAL_ERROR')
}

function answerTo(acceptance: Acceptance, id: string): { quotation_id: string; repeated: boolean } {
  switch (acceptance.kind) {
    case 'accepted':
      return { quotation_id: id, repeated: false }
    case 'repeated':
      return { quotation_id: acceptance.quotation_id, repeated: true }
    case 'key_reused':
      throw new IntegrationError('IDEMPOTENCY_KEY_REUSED')
    case 'key_in_use':
      throw new IntegrationError('IDEMPOTENCY_KEY_IN_USE')
  }
}

function defaultName(now: Date): string {
  return `Quick Quote ${now.toISOString().slice(0, 16).replace('T', ' ')}`
}

function isLink(answer: unknown): answer is { url: string; expires_at: Date | string | number } {
  const { url, expires_at } = (answer ?? {}) as { url?: unknown; expires_at?: unknown }
  if (typeof url !== 'string' || parseUrl(url)?.protocol !== 'https:') return false
  if (!(expires_at instanceof Date) && typeof expires_at !== 'string' && typeof expires_at !== 'number')
    return false
  return !Number.isNaN(new Date(expires_at).getTime())
}

/** Compared as it will be sent. Another quotation's status could belong to another organization. */
function isStatusOf(id: string, answer: unknown): answer is PipelineStatus {
  try {
    return (
      validate(PipelineStatus, JSON.parse(JSON.stringify(answer))).quotation_id.toLowerCase() ===
      id.toLowerCase()
    )
  } catch {
    return false
  }
}
