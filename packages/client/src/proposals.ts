import { type CallOptions, pathOf, type Requests } from './requests.ts'
import type { DocumentUrl, Proposal } from './schemas.ts'

export interface ProposalCalls {
  /** The proposal of a quote. @throws NotFoundError until its step has finished */
  get(quotationId: string, options?: CallOptions): Promise<Proposal>
  /**
   * A short-lived link to its document: use it soon, and do not store it. @throws NotFoundError if there is no document
   * yet
   */
  documentUrl(proposalId: string, options?: CallOptions): Promise<DocumentUrl>
}

export function proposalCalls(request: Requests): ProposalCalls {
  return {
    async get(id, options) {
      const { data } = await request(
        (client, signal) =>
          client.GET('/v1/integrations/quotations/{id}/proposal', { params: pathOf(id), signal }),
        ['id', 'quotation_id'],
        options,
      )
      return data
    },
    async documentUrl(id, options) {
      const { data } = await request(
        (client, signal) =>
          client.GET('/v1/integrations/proposals/{id}/document-url', { params: pathOf(id), signal }),
        ['url', 'expires_at'],
        options,
      )
      return data
    },
  }
}
