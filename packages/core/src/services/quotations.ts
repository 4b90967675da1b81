import { Type } from '@sinclair/typebox'
import type { ReceivedFile, RequirementsFiles } from '../files/requirements-file.ts'
import { callHost } from '../lib/call-host.ts'
import { type ErrorCode, IntegrationError, validationFailed } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { type Page, readPage } from '../lib/page.ts'
import { OneOf, Uuid } from '../lib/schema.ts'
import type { TenantLookup } from '../lib/tenancy.ts'
import { optionalTimeOf } from '../lib/timestamp.ts'
import { activeTraceContext, parseTraceContext } from '../lib/trace-context.ts'
import { validate, validateUrlPart } from '../lib/validator.ts'
import type { ErasedQuotation, RequestedBy } from '../model/erasure.ts'
import { idempotencyOf } from '../model/idempotency.ts'
import { checkOrganizationId, OrganizationId } from '../model/ids.ts'
import { checkMetadata } from '../model/metadata.ts'
import {
  type DocumentUrl,
  PipelineStatus,
  type Proposal,
  type Quotation,
  QuotationListQuery,
  SOURCES,
  type Source,
  type StartedQuotation,
  startQuotationBody,
} from '../model/quotation.ts'
import type { Settings } from '../settings.ts'
import type { Acceptance } from '../storage/quotations.ts'
import type { Storage } from '../storage/storage.ts'
import { eraseQuotation } from './erase-quotation.ts'

export interface StartQuotation {
  /** A uuid. */
  readonly organizationId: string
  readonly source: Source
  /** The key that started the quote, for the source `api_key`. */
  readonly apiKeyId?: string
  /** The fields of the start, as a client sent them. */
  readonly body: unknown
  /** What `requirementsFiles.receive` gave. A start that is refused removes them. */
  readonly files?: readonly ReceivedFile[]
  /** Makes repeating safe: the same key with the same request within 24 hours starts nothing and gets the first answer. */
  readonly idempotencyKey?: string
  /**
   * The headers of W3C Trace Context as a client sent them: its trace is carried on where no span is active. Junk is
   * ignored. With an active span, that one counts.
   */
  readonly traceHeaders?: Readonly<Record<string, unknown>>
}

/** `repeated` tells that an earlier request under the same idempotency key had started the quote. */
export interface StartResult extends StartedQuotation {
  readonly repeated: boolean
}

export interface Quotations {
  /**
   * Accepts a quote: when this resolves, the quotation and the order to start its pipeline are committed.
   * @throws IntegrationError VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE
   */
  start(quote: StartQuotation): Promise<StartResult>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION */
  get(organizationId: string, id: string): Promise<Quotation>
  /**
   * Lists an organization's quotations, the newest first. `query` is what QuotationListQuery says. The method is absent
   * where the quotations of a host offer no list.
   * @throws IntegrationError VALIDATION_FAILED
   */
  list?(organizationId: string, query?: unknown): Promise<Page<Quotation>>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, SERVICE_UNAVAILABLE, INTERNAL_ERROR */
  pipelineStatus(organizationId: string, id: string): Promise<PipelineStatus>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, PROPOSAL_NOT_FOUND, OTHER_ORGANIZATION */
  proposal(organizationId: string, quotationId: string): Promise<Proposal>
  /** @throws IntegrationError PROPOSAL_NOT_FOUND, DOCUMENT_NOT_READY, OTHER_ORGANIZATION, SERVICE_UNAVAILABLE, INTERNAL_ERROR */
  documentUrl(organizationId: string, proposalId: string): Promise<DocumentUrl>
  /**
   * Erases a quotation: it, its steps, proposal, files and metadata, its order to start and its idempotency key, the
   * bodies of its events and the recorded responses of receivers. A run gets its `signal` aborted within the worker's
   * `pollIntervalMs`; deliveries that are pending end. Ids, times and statuses stay in the delivery log, with `[erased]` for
   * the rest, and one entry is added to the audit log. Events that were already delivered cannot be called back.
   *
   * May be repeated: what was erased before is left as it is. Files that the file storage cannot delete now, and all of them
   * inside `within(tx)`, are deleted by a worker later.
   * @param options.by the member who asked for it, for the audit log
   * @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, VALIDATION_FAILED
   */
  erase(organizationId: string, id: string, options?: RequestedBy): Promise<ErasedQuotation>
}

/** What a host says of a quote beside its fields. */
const Origin = Type.Object({
  organizationId: OrganizationId,
  source: OneOf(SOURCES),
  apiKeyId: Type.Optional(Uuid),
})

/** What the functions below share. The schema is made once: it is compiled at its first use. */
interface Context {
  readonly storage: Storage
  readonly settings: Settings
  readonly requirementsFiles: RequirementsFiles
  readonly startBody: ReturnType<typeof startQuotationBody>
}

export function createQuotations(
  storage: Storage,
  settings: Settings,
  requirementsFiles: RequirementsFiles,
  { isBound }: { readonly isBound: boolean },
): Quotations {
  const context: Context = {
    storage,
    settings,
    requirementsFiles,
    startBody: startQuotationBody(settings.limits),
  }
  return {
    start: (quote) => start(context, quote),

    async get(organizationId, id) {
      checkOrganizationId(organizationId)
      return requireFound(await storage.quotations.find(organizationId, id), 'QUOTATION_NOT_FOUND')
    },

    ...(settings.listsQuotations && {
      list: (organizationId: string, query: unknown = {}) => list(context, organizationId, query),
    }),

    pipelineStatus: (organizationId, id) => pipelineStatus(context, organizationId, id),

    async proposal(organizationId, quotationId) {
      checkOrganizationId(organizationId)
      const found = await storage.quotations.findProposalOf(organizationId, quotationId)
      if (found === null) throw new IntegrationError('PROPOSAL_NOT_FOUND')
      return requireFound(found, 'QUOTATION_NOT_FOUND')
    },

    documentUrl: (organizationId, proposalId) => documentUrl(context, organizationId, proposalId),

    erase: (organizationId, id, options) =>
      eraseQuotation(
        { storage, settings, requirementsFiles: isBound ? null : requirementsFiles },
        organizationId,
        id,
        options,
      ),
  }
}

/** Accepts a quote. Its files are removed unless it takes them. */
async function start(context: Context, quote: StartQuotation): Promise<StartResult> {
  const { organizationId, files = [] } = quote
  const discard = () =>
    context.requirementsFiles.discard(files.map(({ id }) => ({ id, organization_id: organizationId })))
  try {
    const started = await accept(context, quote)
    if (started.repeated) await discard()
    return started
  } catch (error) {
    await discard()
    throw error
  }
}

async function accept(
  { storage, settings, startBody }: Context,
  quote: StartQuotation,
): Promise<StartResult> {
  const { organizationId, source, apiKeyId, body, files = [], idempotencyKey, traceHeaders = {} } = quote
  validate(Origin, { organizationId, source, apiKeyId })
  const fields = validate(startBody, body)
  const requirementsText = fields.requirementsText?.trim() ? fields.requirementsText : null
  if (requirementsText === null && files.length === 0) {
    throw validationFailed([
      { pointer: '/requirementsText', detail: 'is required unless at least one file is sent' },
    ])
  }
  const metadata = fields.metadata ?? null
  checkMetadata(metadata, settings.limits.metadataBytes)
  const { name = null, description = null, config_id = null } = fields
  const contents = files.map((file) => [file.name, file.type, file.sha256])
  const request = [name, description, config_id, requirementsText, metadata, contents]
  const now = settings.now()
  const id = newId(now)
  const acceptance = await storage.quotations.accept(
    {
      id,
      organization_id: organizationId,
      name: name?.trim() ? name : defaultName(now),
      description: description ?? '',
      config_id,
      source,
      api_key_id: apiKeyId ?? null,
      requirementsText,
      metadata,
      files: files.map(({ id, name, type, size }) => ({ id, name, type, size })),
      created_at: now,
      trace: activeTraceContext() ?? parseTraceContext(traceHeaders),
    },
    idempotencyKey === undefined ? null : idempotencyOf(idempotencyKey, request),
  )
  return { ...answerTo(acceptance, id), status: 'queued' }
}

async function list(
  { storage, settings }: Context,
  organizationId: string,
  query: unknown,
): Promise<Page<Quotation>> {
  checkOrganizationId(organizationId)
  const { status = null, source = null, ...rest } = validateUrlPart(QuotationListQuery, query, '?')
  const { created_since, created_until, ...page } = rest
  const filter = {
    status,
    source,
    created_since: optionalTimeOf(created_since),
    created_until: optionalTimeOf(created_until),
  }
  return readPage(
    settings.keyring,
    { name: 'quotations', organizationId },
    page,
    async (request) => (await storage.quotations.list?.(organizationId, filter, request)) ?? [],
  )
}

async function pipelineStatus(
  { storage, settings }: Context,
  organizationId: string,
  id: string,
): Promise<PipelineStatus> {
  checkOrganizationId(organizationId)
  const status = requireFound(
    await storage.quotations.findPipelineStatus(organizationId, id),
    'QUOTATION_NOT_FOUND',
  )
  const { pipeline } = settings
  const ofHost = pipeline.status
  if (ofHost === undefined) return status
  const answer = await callPipeline(settings, 'status', () => ofHost.call(pipeline, id))
  if (!isStatusOf(id, answer)) throw junk(settings, 'status', 'no status of that quotation')
  return answer
}

async function documentUrl(
  { storage, settings }: Context,
  organizationId: string,
  proposalId: string,
): Promise<DocumentUrl> {
  checkOrganizationId(organizationId)
  const proposal = requireFound(
    await storage.quotations.findProposal(organizationId, proposalId),
    'PROPOSAL_NOT_FOUND',
  )
  const { document_id } = proposal
  if (document_id === null) throw new IntegrationError('DOCUMENT_NOT_READY')
  const document = { document_id, proposal_id: proposal.id, organization_id: organizationId }
  const link: unknown = await callPipeline(settings, 'signDocumentUrl', () =>
    settings.pipeline.signDocumentUrl(document),
  )
  if (!isLink(link)) throw junk(settings, 'signDocumentUrl', 'no HTTPS url with expires_at')
  return { url: link.url, expires_at: new Date(link.expires_at) }
}

function callPipeline<T>(
  { hookTimeoutMs, logger }: Settings,
  hook: 'status' | 'signDocumentUrl',
  call: () => T | PromiseLike<T>,
): Promise<T> {
  return callHost({ hook: `pipeline.${hook}`, timeoutMs: hookTimeoutMs, logger }, call)
}

/** A hook that answers junk will do so again: a 500. What it answered may be a secret link, and is not logged. */
function junk({ logger }: Settings, hook: string, answer: string): IntegrationError {
  logger.error({ hook: `pipeline.${hook}` }, `a hook of the host answered ${answer}`)
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

/** Turns a look-up into the thing itself, or into the error that fits (specification, "Errors"). */
function requireFound<T extends object>(found: TenantLookup<T>, unknown: ErrorCode): T {
  if (found === 'unknown') throw new IntegrationError(unknown)
  if (found === 'other_organization') throw new IntegrationError('OTHER_ORGANIZATION')
  return found as T
}

function defaultName(now: Date): string {
  return `Quick Quote ${now.toISOString().slice(0, 16).replace('T', ' ')}`
}

function isLink(answer: unknown): answer is { url: string; expires_at: Date | string | number } {
  const { url, expires_at } = (answer ?? {}) as { url?: unknown; expires_at?: unknown }
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:') return false
  if (!(expires_at instanceof Date) && typeof expires_at !== 'string' && typeof expires_at !== 'number')
    return false
  return !Number.isNaN(new Date(expires_at).getTime())
}

/** Compared as it will be sent. Another quotation's status could be another organization's. */
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
