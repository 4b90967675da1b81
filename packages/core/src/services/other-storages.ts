import { answerInTime } from '../lib/answer-in-time.ts'
import type { QuotationStorage } from '../storage/quotations.ts'
import type { Storage } from '../storage/storage.ts'

/** The longest wait for another database, which may be cut off. */
const LOOK_MS = 1000

/**
 * A storage of a host with several databases: what is unknown in this one, and another organization's in another one, is
 * another organization's. A database that cannot be reached is ignored.
 */
export function withOtherStorages<Transaction>(
  storage: Storage<Transaction>,
  others: readonly Pick<Storage, 'quotations'>[],
): Storage<Transaction> {
  const own = storage.quotations
  async function find<T>(
    look: (quotations: QuotationStorage) => Promise<T>,
  ): Promise<T | 'other_organization'> {
    const found = await look(own)
    if (found !== 'unknown') return found
    const elsewhere = await Promise.allSettled(
      others.map(({ quotations }) => answerInTime('another database', LOOK_MS, () => look(quotations))),
    )
    const isOthers = (each: PromiseSettledResult<T>) =>
      each.status === 'fulfilled' && each.value === 'other_organization'
    return elsewhere.some(isOthers) ? 'other_organization' : found
  }
  const quotations: QuotationStorage = {
    ...own,
    find: (...which) => find((each) => each.find(...which)),
    findPipelineStatus: (...which) => find((each) => each.findPipelineStatus(...which)),
    findProposalOf: (...which) => find((each) => each.findProposalOf(...which)),
    findProposal: (...which) => find((each) => each.findProposal(...which)),
  }
  return {
    ...storage,
    quotations,
    within: (transaction, options) => withOtherStorages(storage.within(transaction, options), others),
    transaction: (work) => storage.transaction((bound) => work(withOtherStorages(bound, others))),
  }
}
