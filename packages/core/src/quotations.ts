import { v7 as uuidv7 } from 'uuid'
import { type ErrorCode, IntegrationError, validationFailed } from './errors.ts'
import {
  type DocumentUrl,
  type PipelineStatus,
  type Proposal,
  type Quotation,
  type QuotationFile,
  type Source,
  type StartedQuotation,
  startQuotationBody,
} from './quotation.ts'
import type { Settings } from './settings.ts'
import type { Scoped, Storage } from './storage.ts'
import { isStorableText, validate } from './validator.ts'

export interface StartQuotation {
  readonly organizationId: string
  readonly source: Source
  /** The key that started the quote, for the source `api_key`. */
  readonly apiKeyId?: string
  /** The fields of the start, as a client sent them. */
  readonly body: unknown
  readonly files?: readonly QuotationFile[]
}

export interface Quotations {
  /**
   * Accepts a quote: when this resolves, the quotation and the order to start its pipeline are committed.
   * @throws IntegrationError VALIDATION_FAILED
   */
  start(quote: StartQuotation): Promise<StartedQuotation>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION */
  get(organizationId: string, id: string): Promise<Quotation>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION */
  pipelineStatus(organizationId: string, id: string): Promise<PipelineStatus>
  /** @throws IntegrationError QUOTATION_NOT_FOUND, PROPOSAL_NOT_FOUND, OTHER_ORGANIZATION */
  proposal(organizationId: string, quotationId: string): Promise<Proposal>
  /** @throws IntegrationError PROPOSAL_NOT_FOUND, DOCUMENT_NOT_READY, OTHER_ORGANIZATION, SERVICE_UNAVAILABLE */
  documentUrl(organizationId: string, proposalId: string): Promise<DocumentUrl>
}

/** How long the host may take to sign a link or to tell a status, in milliseconds. */
const HOOK_TIMEOUT_MS = 10_000

export function createQuotations(storage: Storage, settings: Settings): Quotations {
  const bodySchema = startQuotationBody(settings.limits)

  return {
    async start({ organizationId, source, apiKeyId, body, files = [] }) {
      const fields = validate(bodySchema, body)
      const requirementsText = fields.requirementsText?.trim() ? fields.requirementsText : null
      if (requirementsText === null && files.length === 0) {
        throw validationFailed([
          { pointer: '/requirementsText', detail: 'is required unless at least one file is sent' },
        ])
      }
      checkMetadata(fields.metadata ?? null, settings.limits.metadataBytes)
      const now = settings.now()
      const id = uuidv7()
      await storage.acceptQuotation({
        id,
        organization_id: organizationId,
        name: fields.name?.trim() ? fields.name : defaultName(now),
        description: fields.description ?? '',
        config_id: fields.config_id ?? null,
        source,
        api_key_id: apiKeyId ?? null,
        requirementsText,
        metadata: fields.metadata ?? null,
        files,
        created_at: now,
      })
      return { quotation_id: id, status: 'queued' }
    },

    async get(organizationId, id) {
      return inScope(await storage.findQuotation(organizationId, id), 'QUOTATION_NOT_FOUND')
    },

    async pipelineStatus(organizationId, id) {
      const status = inScope(await storage.findPipelineStatus(organizationId, id), 'QUOTATION_NOT_FOUND')
      const ofHost = settings.pipeline.status
      return ofHost === undefined ? status : callHook('status', () => ofHost.call(settings.pipeline, id))
    },

    async proposal(organizationId, quotationId) {
      const found = await storage.findProposalOfQuotation(organizationId, quotationId)
      if (found === null) throw new IntegrationError('PROPOSAL_NOT_FOUND')
      return inScope(found, 'QUOTATION_NOT_FOUND')
    },

    async documentUrl(organizationId, proposalId) {
      const proposal = inScope(await storage.findProposal(organizationId, proposalId), 'PROPOSAL_NOT_FOUND')
      const { document_id } = proposal
      if (document_id === null) throw new IntegrationError('DOCUMENT_NOT_READY')
      const link = await callHook('signDocumentUrl', () =>
        settings.pipeline.signDocumentUrl({
          document_id,
          proposal_id: proposal.id,
          organization_id: organizationId,
        }),
      )
      if (!isHttpsUrl(link.url) || Number.isNaN(new Date(link.expires_at).getTime())) {
        settings.logger.error(
          { hook: 'signDocumentUrl' },
          'the pipeline hook returned no HTTPS url with expires_at',
        )
        throw new IntegrationError('SERVICE_UNAVAILABLE')
      }
      return { url: link.url, expires_at: new Date(link.expires_at) }
    },
  }

  /** A hook of the host that throws or hangs is the host's fault, not the client's: a 503, with the cause in the log only. */
  async function callHook<T>(hook: string, call: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${HOOK_TIMEOUT_MS} ms`)), HOOK_TIMEOUT_MS)
    })
    try {
      return await Promise.race([call(), timeout])
    } catch (error) {
      settings.logger.error({ hook, err: error }, 'a pipeline hook failed')
      throw new IntegrationError('SERVICE_UNAVAILABLE')
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Turns a look-up into the thing itself, or into the refusal that fits (specification, "Errors"). */
function inScope<T extends object>(found: Scoped<T>, unknown: ErrorCode): T {
  if (found === 'unknown') throw new IntegrationError(unknown)
  if (found === 'other_organization') throw new IntegrationError('OTHER_ORGANIZATION')
  return found as T
}

function checkMetadata(metadata: Record<string, unknown> | null, maxBytes: number): void {
  if (metadata === null) return
  const json = JSON.stringify(metadata)
  if (Buffer.byteLength(json) > maxBytes) {
    throw validationFailed([{ pointer: '/metadata', detail: `must be at most ${maxBytes} bytes of JSON` }])
  }
  if (!isStorableJson(metadata)) {
    throw validationFailed([
      { pointer: '/metadata', detail: 'must not hold NUL characters or lone surrogates' },
    ])
  }
}

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, each]) => isStorableText(name) && isStorableJson(each))
}

function defaultName(now: Date): string {
  return `Quick Quote ${now.toISOString().slice(0, 16).replace('T', ' ')}`
}

function isHttpsUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:'
}
