import type { Integrations } from '@quickquote/core'
import { DocumentUrl } from '@quickquote/core/internal'
import { EXAMPLE } from '../openapi/examples.ts'
import { type PartnerRoute, partnerRoute } from '../route.ts'

/** Proposal documents (specification, "GET /v1/integrations/proposals/:id/document-url"). */
export function proposalRoutes({ quotations }: Integrations): readonly PartnerRoute[] {
  return [
    partnerRoute({
      access: 'api_key',
      tag: 'Proposals',
      method: 'GET',
      url: '/proposals/:id/document-url',
      operationId: 'getProposalDocumentUrl',
      summary: 'Get a short-lived link to the document of a proposal',
      description: 'The link expires at `expires_at`: request a new one whenever you need it.',
      answer: {
        status: 200,
        description: 'The link. Anyone who has it can read the document until it expires.',
        schema: DocumentUrl,
        example: {
          url: `https://files.example.com/proposals/${EXAMPLE.documentId}.pdf?signature=example`,
          expires_at: EXAMPLE.finishedAt,
        },
      },
      errors: ['PROPOSAL_NOT_FOUND', 'DOCUMENT_NOT_READY', 'OTHER_ORGANIZATION'],
      handle: ({ apiKey, params }) => quotations.documentUrl(apiKey.organizationId, params.id),
    }),
  ]
}
