import { answerInTime } from '../lib/answer-in-time.ts'
import { ConfigurationError, IntegrationError } from '../lib/errors.ts'
import { isUuid, scoped } from '../lib/tenancy.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import { pipelineStatusOf } from '../model/pipeline-status.ts'
import type { ProgressChange } from '../model/progress.ts'
import type { Proposal, Quotation, StepStatus } from '../model/quotation.ts'
import type { Settings } from '../settings.ts'
import type { ClaimedStart, NewQuotation, QuotationStorage, Scoped, Storage } from '../storage/storage.ts'

/** A quotation as the host's tables have it, whole. */
export interface HostQuotation extends Quotation {
  /** Who may read it: it is compared here, on every way in. */
  readonly organization_id: string
  /** The steps that have begun, in any order. The others are pending. */
  readonly steps: readonly StepStatus[]
  readonly proposal: Omit<Proposal, 'quotation_id'> | null
  /** The trace that `insert` was given, for a host that keeps it: later reports then belong to it, too. */
  readonly trace?: TraceContext | null
}

/** What a report changes. Fields that are absent stay as they are. */
export interface QuotationChange extends Omit<ProgressChange, 'event'> {
  readonly quotation_id: string
  readonly organization_id: string
  /** When: `updated_at` of the quotation, of its step and of its proposal. */
  readonly at: Date
}

/**
 * Quotations and proposals in tables of the host, which must be in the database of the storage. `Transaction` is the
 * host's own: drizzle's `tx`, or the `sql` of `sql.begin` (postgres.js).
 *
 * What a method throws is logged and answered with SERVICE_UNAVAILABLE, unless it is an IntegrationError: `insert` may
 * refuse a quote with one.
 */
export interface HostQuotations<Transaction = unknown> {
  /** Runs `work` in one transaction of the host: ours writes in it, too, so that both are committed or neither. */
  transaction(work: (transaction: Transaction) => Promise<void>): Promise<unknown>
  /** Writes a quote that is being accepted: `queued`, with no step begun. Its `id` is the quotation's. */
  insert(quotation: NewQuotation, transaction: Transaction): Promise<void>
  /** Writes what a report changes: see the fields of QuotationChange. */
  update(change: QuotationChange, transaction: Transaction): Promise<void>
  /** Those of the quotations that there are, of whatever organization; in the transaction, where there is one. */
  find(ids: readonly string[], transaction?: Transaction): Promise<readonly HostQuotation[]>
  /** The quotation, and nobody else changes it before the transaction ends (`for update`). */
  lock(id: string, transaction: Transaction): Promise<HostQuotation | null>
  /** The quotation of a proposal. */
  findByProposal(proposalId: string, transaction?: Transaction): Promise<HostQuotation | null>
  /**
   * Quotations that are queued or running and were last updated before `silentSince`: they fail with PIPELINE_TIMEOUT.
   * Without this method runs are never given up.
   */
  findStalled?(silentSince: Date, limit: number): Promise<readonly string[]>
}

const REQUIRED = ['transaction', 'insert', 'update', 'find', 'lock', 'findByProposal'] as const

/**
 * The storage with the host's quotations in the place of ours.
 * @throws ConfigurationError for a method that is missing
 */
export function withHostQuotations(
  storage: Storage,
  host: HostQuotations,
  { hookTimeoutMs, logger }: Pick<Settings, 'hookTimeoutMs' | 'logger'>,
): Storage {
  const missing = REQUIRED.filter((name) => typeof host?.[name] !== 'function')
  if (missing.length > 0) {
    throw new ConfigurationError(`createIntegrations: quotations lacks the methods ${missing.join(', ')}.`)
  }

  /** What throws or hangs is the host's fault, not the client's: a 503. An IntegrationError is a refusal that the host means. */
  async function ask<T>(method: keyof HostQuotations, call: () => Promise<T>): Promise<T> {
    const hook = `quotations.${method}`
    try {
      return (await answerInTime(hook, hookTimeoutMs, call)) as T
    } catch (error) {
      if (error instanceof IntegrationError) throw error
      logger.error({ hook, err: error }, 'the quotations of the host failed')
      throw new IntegrationError('SERVICE_UNAVAILABLE')
    }
  }

  /** The host's turn is to begin and to end the transaction; our work in it has bounds of its own. */
  async function inTransaction<T>(work: (bound: Storage) => Promise<T>): Promise<T> {
    let outcome: { result: T } | { error: unknown } | undefined
    let isGivenUp = false
    await answerInTime('quotations.transaction', hookTimeoutMs, (turn) =>
      host.transaction(async (transaction) => {
        if (isGivenUp) throw new Error('quotations.transaction called its function too late')
        turn.stop()
        outcome = undefined
        try {
          outcome = { result: await work(bind(storage.within(transaction), transaction)) }
        } catch (error) {
          outcome = { error }
          throw error
        } finally {
          turn.start()
        }
      }),
    ).catch((error: unknown) => {
      isGivenUp = true
      if (outcome !== undefined && 'error' in outcome) throw outcome.error
      return ask('transaction', () => Promise.reject(error))
    })
    if (outcome === undefined || 'error' in outcome) {
      throw new ConfigurationError(
        'quotations.transaction must call its function, and pass on what it throws.',
      )
    }
    return outcome.result
  }

  /** Everything inside a transaction of the host. */
  function bind(within: Storage, transaction: unknown): Storage {
    const bound: Storage = {
      ...within,
      ...reads(transaction),
      async acceptQuotation(quotation, idempotency) {
        const acceptance = await within.orderPipelineStart(quotation, idempotency)
        if (acceptance.outcome === 'accepted') {
          await ask('insert', () => host.insert(quotation, transaction))
        }
        return acceptance
      },
      lockProgress: async (id) => {
        if (!isUuid(id)) return null
        const quotation = await ask('lock', () => host.lock(id, transaction))
        return quotation && { ...quotation, quotation_id: quotation.id, trace: quotation.trace ?? null }
      },
      async saveProgress(organizationId, id, { event: _, ...change }, at) {
        const whole = { ...change, quotation_id: id, organization_id: organizationId, at }
        await ask('update', () => host.update(whole, transaction))
      },
      transaction: (work) => work(bound),
    }
    return bound
  }

  function reads(transaction?: unknown) {
    async function find(id: string): Promise<HostQuotation | undefined> {
      if (!isUuid(id)) return undefined
      const found = await ask('find', () => host.find([id], transaction))
      return found.find((each) => each.id.toLowerCase() === id.toLowerCase())
    }

    async function look<T>(
      organizationId: string,
      quotation: HostQuotation | null | undefined,
      pick: (quotation: HostQuotation) => T,
    ): Promise<Scoped<T>> {
      if (quotation === undefined || quotation === null) return 'unknown'
      return scoped({ organization_id: quotation.organization_id, found: pick(quotation) }, organizationId)
    }

    return {
      async findQuotation(organizationId, id) {
        return look(organizationId, await find(id), summaryOf)
      },
      async findPipelineStatus(organizationId, id) {
        return look(organizationId, await find(id), (found) => pipelineStatusOf(found, found.steps))
      },
      async findProposalOfQuotation(organizationId, id) {
        return look(organizationId, await find(id), proposalOf)
      },
      async findProposal(organizationId, id) {
        if (!isUuid(id)) return 'unknown'
        const quotation = await ask('findByProposal', () => host.findByProposal(id, transaction))
        const found = await look(organizationId, quotation, proposalOf)
        return found ?? 'unknown'
      },
      async findQuotationNames(organizationId, ids) {
        if (ids.length === 0) return new Map()
        const found = await ask('find', () => host.find(ids, transaction))
        const own = found.filter((each) => scoped({ ...each, found: true }, organizationId) === true)
        return new Map(own.map(({ id, name }) => [id, name]))
      },
      async findStalledQuotations(silentSince, limit) {
        const stalled = await ask('findStalled', async () => host.findStalled?.(silentSince, limit))
        return [...(stalled ?? [])]
      },
    } satisfies Partial<QuotationStorage>
  }

  return {
    ...storage,
    ...reads(),
    transaction: inTransaction,
    within: (transaction) => bind(storage.within(transaction), transaction),
    acceptQuotation: (quotation, idempotency) =>
      inTransaction((bound) => bound.acceptQuotation(quotation, idempotency)),
    lockProgress: (id) => inTransaction((bound) => bound.lockProgress(id)),
    saveProgress: (...change) => inTransaction((bound) => bound.saveProgress(...change)),

    async claimPipelineStarts(round) {
      const { claimed, nextDueAt } = await storage.claimPipelineStarts(round)
      if (claimed.length === 0) return { claimed, nextDueAt }
      const settle = async (starts: readonly ClaimedStart[], retryAt: Date | null) => {
        for (const { quote, attempt } of starts) {
          const { workerId } = round
          await storage.settlePipelineStart({ workerId, quotationId: quote.id, attempt, retryAt })
        }
      }
      const ids = claimed.map(({ quote }) => quote.id)
      const found = await ask('find', () => host.find(ids)).catch(async (error: unknown) => {
        await settle(claimed, new Date(round.now.getTime() + FIND_RETRY_MS))
        throw error
      })
      const open = new Set(found.filter(isUnderWay).map(({ id }) => id))
      const isOpen = ({ quote }: ClaimedStart) => open.has(quote.id)
      // An order whose quote has ended meanwhile, or was deleted, is done.
      await settle(
        claimed.filter((start) => !isOpen(start)),
        null,
      )
      return { claimed: claimed.filter(isOpen), nextDueAt }
    },
  }
}

/** When to look again for the quotes of orders that could not be found. */
const FIND_RETRY_MS = 5000

function isUnderWay({ status }: HostQuotation): boolean {
  return status === 'queued' || status === 'running'
}

/** The fields of the summary, and no others that the host may have. */
function summaryOf(quotation: HostQuotation): Quotation {
  const { id, name, description, status, processed_step } = quotation
  const { source, config_id, error_code, created_at, updated_at } = quotation
  return {
    id,
    name,
    description,
    status,
    processed_step,
    source,
    config_id,
    error_code,
    created_at,
    updated_at,
  }
}

function proposalOf({ id, proposal }: HostQuotation): Proposal | null {
  if (proposal === null) return null
  const { name, status, document_id, created_at, updated_at } = proposal
  return { id: proposal.id, name, status, document_id, quotation_id: id, created_at, updated_at }
}
