import { answerInTime } from '../lib/answer-in-time.ts'
import { callHost } from '../lib/call-host.ts'
import { ConfigurationError, IntegrationError } from '../lib/errors.ts'
import { pick } from '../lib/fields.ts'
import { isUuid, ownedBy, type TenantLookup } from '../lib/tenancy.ts'
import { pipelineStatusOf } from '../model/pipeline-status.ts'
import { hasEnded, type Proposal, Quotation } from '../model/quotation.ts'
import type { Settings } from '../settings.ts'
import type { HostQuotation, HostQuotations } from '../storage/host-quotations.ts'
import type { ClaimedStart, PipelineStartStorage } from '../storage/pipeline-starts.ts'
import type { QuotationStorage, SeenQuotation } from '../storage/quotations.ts'
import type { Storage } from '../storage/storage.ts'

interface Host extends Pick<Settings, 'hookTimeoutMs' | 'logger'> {
  readonly quotations: HostQuotations
}

/** The storage, with the host's quotations instead of its own. */
export function withHostQuotations(
  storage: Storage,
  quotations: HostQuotations,
  { hookTimeoutMs, logger }: Pick<Settings, 'hookTimeoutMs' | 'logger'>,
): Storage {
  const host: Host = { quotations, hookTimeoutMs, logger }
  const inTransaction = <T>(work: (bound: Storage) => Promise<T>) => runInTransaction(storage, host, work)
  return {
    ...storage,
    quotations: {
      ...readsOf(host),
      accept: (quotation, idempotency) =>
        inTransaction((bound) => bound.quotations.accept(quotation, idempotency)),
      lockProgress: (id) => inTransaction((bound) => bound.quotations.lockProgress(id)),
      saveProgress: (...change) => inTransaction((bound) => bound.quotations.saveProgress(...change)),
      cancelStart:
        quotations.cancel &&
        ((...which) => inTransaction(async (bound) => bound.quotations.cancelStart?.(...which))),
      lockForErasing: (...which) => inTransaction((bound) => bound.quotations.lockForErasing(...which)),
      erase: (...which) => inTransaction((bound) => bound.quotations.erase(...which)),
    },
    // Files of the host's quotations are unknown here, and would all look like strays.
    uploads: { ...storage.uploads, noteStrays: undefined },
    pipelineStarts: {
      ...storage.pipelineStarts,
      claim: (round) => claimOpenStarts(storage.pipelineStarts, host, round),
    },
    transaction: inTransaction,
    within: (transaction) => bind(storage.within(transaction), host, transaction),
  }
}

/** An IntegrationError is the host's intended response. */
function ask<T>(
  { hookTimeoutMs, logger }: Host,
  method: keyof HostQuotations,
  call: () => Promise<T>,
): Promise<T> {
  const isAnswer = (error: unknown) => error instanceof IntegrationError
  return callHost({ hook: `quotations.${method}`, timeoutMs: hookTimeoutMs, logger, isAnswer }, call)
}

/** The timeout covers the host's begin and commit only: our work in between has its own limits. */
async function runInTransaction<T>(
  storage: Storage,
  host: Host,
  work: (bound: Storage) => Promise<T>,
): Promise<T> {
  let ended: { result: T } | { error: unknown } | undefined
  let isGivenUp = false
  await answerInTime('quotations.transaction', host.hookTimeoutMs, (turn) =>
    host.quotations.transaction(async (transaction) => {
      if (isGivenUp) throw new Error('quotations.transaction called `work` too late')
      turn.stop()
      ended = undefined
      try {
        ended = { result: await work(bind(storage.within(transaction), host, transaction)) }
      } catch (error) {
        ended = { error }
        throw error
      } finally {
        turn.start()
      }
    }),
  ).catch((error: unknown) => {
    isGivenUp = true
    if (ended !== undefined && 'error' in ended) throw ended.error
    return ask(host, 'transaction', () => Promise.reject(error))
  })
  if (ended === undefined || 'error' in ended) {
    throw new ConfigurationError('quotations.transaction must call `work`, and rethrow its errors.')
  }
  return ended.result
}

/** Everything inside a transaction of the host. */
function bind(within: Storage, host: Host, transaction: unknown): Storage {
  const bound: Storage = {
    ...within,
    quotations: { ...readsOf(host, transaction), ...writesOf(host, within, transaction) },
    transaction: (work) => work(bound),
  }
  return bound
}

type Writes = Pick<
  QuotationStorage,
  'accept' | 'lockProgress' | 'saveProgress' | 'cancelStart' | 'lockForErasing' | 'erase'
>

function writesOf(host: Host, within: Storage, transaction: unknown): Writes {
  const { quotations } = host
  const cancel = quotations.cancel?.bind(quotations)
  const erase = quotations.erase?.bind(quotations)
  return {
    async accept(quotation, idempotency) {
      const acceptance = await within.pipelineStarts.order(quotation, idempotency)
      if (acceptance.kind === 'accepted') {
        await ask(host, 'insert', () => quotations.insert(quotation, transaction))
      }
      return acceptance
    },

    async lockProgress(id) {
      if (!isUuid(id)) return null
      const quotation = await ask(host, 'lock', () => quotations.lock(id, transaction))
      return quotation && { ...quotation, quotation_id: quotation.id, trace: quotation.trace ?? null }
    },

    async saveProgress(organizationId, id, { event: _, ...change }, at, event) {
      const whole = { ...change, quotation_id: id, organization_id: organizationId, at }
      await ask(host, 'update', () => quotations.update(whole, transaction))
      if (event !== undefined) await within.events.record(event)
    },

    cancelStart:
      cancel &&
      (async (organizationId, id, now) => {
        const quote = await ask(host, 'cancel', () => cancel(organizationId, id, transaction))
        await within.pipelineStarts.orderCancel(quote, now)
      }),

    async lockForErasing(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      const found = await ask(host, 'lock', () => quotations.lock(id, transaction))
      return pickOf(organizationId, found, ({ created_at }) => ({ created_at }))
    },

    async erase(organizationId, id) {
      return erase ? ask(host, 'erase', () => erase(organizationId, id, transaction)) : null
    },
  }
}

function readsOf(host: Host, transaction?: unknown): Omit<QuotationStorage, keyof Writes> {
  const { quotations } = host
  const list = quotations.list?.bind(quotations)
  const findUpdatedAt = quotations.findUpdatedAt?.bind(quotations)
  const findStalled = quotations.findStalled?.bind(quotations)
  async function find(id: string): Promise<HostQuotation | undefined> {
    if (!isUuid(id)) return undefined
    const found = await ask(host, 'find', () => quotations.find([id], transaction))
    return found.find((each) => each.id.toLowerCase() === id.toLowerCase())
  }

  return {
    async find(organizationId, id) {
      return pickOf(organizationId, await find(id), summaryOf)
    },

    list:
      list &&
      (async (organizationId, filter, page) => {
        const found = await ask(host, 'list', () => list(organizationId, filter, page))
        return ofOrganization(found, organizationId).map(summaryOf)
      }),

    findChanged:
      findUpdatedAt &&
      (async (seen) => {
        // Not `ask`: it would log each failure, twice a second.
        const found = await answerInTime('quotations.findUpdatedAt', host.hookTimeoutMs, () =>
          findUpdatedAt(seen.map(({ id }) => id)),
        )
        const latest = new Map(found.map(({ id, updated_at }) => [id.toLowerCase(), +updated_at]))
        const isChanged = ({ id, updated_at }: SeenQuotation) => latest.get(id.toLowerCase()) !== +updated_at
        return new Set(seen.flatMap((each, index) => (isChanged(each) ? index : [])))
      }),

    async findPipelineStatus(organizationId, id) {
      return pickOf(organizationId, await find(id), (found) => pipelineStatusOf(found, found.steps))
    },

    async findProposalOf(organizationId, id) {
      return pickOf(organizationId, await find(id), proposalOf)
    },

    async findProposal(organizationId, id) {
      if (!isUuid(id)) return 'unknown'
      const quotation = await ask(host, 'findByProposal', () => quotations.findByProposal(id, transaction))
      return pickOf(organizationId, quotation, proposalOf) ?? 'unknown'
    },

    async findNames(organizationId, ids) {
      if (ids.length === 0) return new Map()
      const found = await ask(host, 'find', () => quotations.find(ids, transaction))
      return new Map(ofOrganization(found, organizationId).map(({ id, name }) => [id.toLowerCase(), name]))
    },

    async findStalled(silentSince, limit) {
      return findStalled ? [...(await ask(host, 'findStalled', () => findStalled(silentSince, limit)))] : []
    },
  }
}

function ofOrganization(quotations: readonly HostQuotation[], organizationId: string): HostQuotation[] {
  return quotations.filter((each) => ownedBy({ ...each, found: true }, organizationId) === true)
}

function pickOf<T>(
  organizationId: string,
  quotation: HostQuotation | null | undefined,
  pick: (quotation: HostQuotation) => T,
): TenantLookup<T> {
  if (quotation === undefined || quotation === null) return 'unknown'
  return ownedBy({ organization_id: quotation.organization_id, found: pick(quotation) }, organizationId)
}

/** The starts whose quote is still open. Others are completed: their quote has ended or was deleted. */
async function claimOpenStarts(
  starts: PipelineStartStorage,
  host: Host,
  round: Parameters<PipelineStartStorage['claim']>[0],
): ReturnType<PipelineStartStorage['claim']> {
  const { claimed, nextDueAt } = await starts.claim(round)
  if (claimed.length === 0) return { claimed, nextDueAt }
  const recordCalls = async (orders: readonly ClaimedStart[], retryAt: Date | null) => {
    for (const { quote, attempt } of orders) {
      await starts.recordCall({ workerId: round.workerId, quotationId: quote.id, attempt, retryAt })
    }
  }
  const ids = claimed.map(({ quote }) => quote.id)
  const found = await ask(host, 'find', () => host.quotations.find(ids)).catch(async (error: unknown) => {
    await recordCalls(claimed, new Date(round.now.getTime() + FIND_RETRY_MS))
    throw error
  })
  const open = new Set(found.flatMap((quotation) => (hasEnded(quotation) ? [] : quotation.id.toLowerCase())))
  const isOpen = ({ quote, hook }: ClaimedStart) => hook === 'cancel' || open.has(quote.id)
  await recordCalls(
    claimed.filter((start) => !isOpen(start)),
    null,
  )
  return { claimed: claimed.filter(isOpen), nextDueAt }
}

/** When to look again for quotes that could not be found. */
const FIND_RETRY_MS = 5000

const SUMMARY = Object.keys(Quotation.properties) as (keyof Quotation)[]

function summaryOf(quotation: HostQuotation): Quotation {
  const { external_id = null, metadata = null } = quotation
  return pick({ ...quotation, external_id, metadata }, SUMMARY)
}

const PROPOSAL = ['id', 'name', 'status', 'document_id', 'created_at', 'updated_at'] as const

function proposalOf({ id, proposal }: HostQuotation): Proposal | null {
  return proposal && { ...pick(proposal, PROPOSAL), quotation_id: id }
}
