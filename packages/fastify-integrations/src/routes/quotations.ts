import { type Integrations, STEPS } from '@quickquote/core'
import {
  CANCELLED,
  hasEnded,
  optionalTimeOf,
  PipelineStatus,
  Proposal,
  Quotation,
  QuotationListQuery,
  QuotationQuery,
  StartedQuotation,
  Type,
  validateUrlPart,
} from '@quickquote/core/internal'
import { PAGE_HEADERS, pageAnswer } from '../answers/links.ts'
import { authenticate } from '../auth/partner-auth.ts'
import { isMultipart, receiveMultipart } from '../bodies/multipart.ts'
import { createLookout, type Waits, waitMsOf } from '../limits/waits.ts'
import { EXAMPLE } from '../openapi/examples.ts'
import { startQuotationForm, startQuotationJson } from '../openapi/openapi-start-body.ts'
import { type PartnerRoute, partnerRoute } from '../route.ts'

/** Seconds between polls: three requests every five seconds stay below 60 a minute. */
const POLL_AFTER_SECONDS = 5

const common = { access: 'api_key', tag: 'Quick Quotes' } as const
const quote = {
  name: 'Customer portal',
  description: 'Second phase',
  external_id: 'D-1042',
  metadata: { region: 'EMEA' },
}
const summary = {
  id: EXAMPLE.quotationId,
  ...quote,
  status: 'running',
  processed_step: 'requirement_analysis',
  source: 'api_key',
  config_id: null,
  error_code: null,
  created_at: EXAMPLE.startedAt,
  updated_at: EXAMPLE.finishedAt,
}

/** Starting and reading Quick Quotes (specification, "Partner integrations API"). */
export function quotationRoutes(integrations: Integrations, waits: Waits): readonly PartnerRoute[] {
  const { quotations } = integrations
  const { list, cancel } = quotations
  return [
    ...startRoutes(integrations),

    ...(list === undefined ? [] : [listRoute(list)]),

    summaryRoute(integrations, waits),

    ...(cancel === undefined ? [] : [cancelRoute(cancel)]),

    partnerRoute({
      ...common,
      method: 'GET',
      url: '/quotations/:id/pipeline',
      operationId: 'getQuotationPipeline',
      summary: 'Get the progress of a quotation, step by step',
      description: 'All steps, in order, whether they have begun or not.',
      answer: {
        status: 200,
        description: 'All steps, in order.',
        schema: PipelineStatus,
        example: {
          quotation_id: EXAMPLE.quotationId,
          status: 'running',
          processed_step: 'requirement_analysis',
          progress: { completed: 1, total: STEPS.length },
          steps: STEPS.map((step, index) => ({
            step,
            status: index === 0 ? 'completed' : 'pending',
            started_at: index === 0 ? EXAMPLE.startedAt : null,
            completed_at: index === 0 ? EXAMPLE.finishedAt : null,
            error_code: null,
          })),
          error_code: null,
          updated_at: EXAMPLE.finishedAt,
        },
      },
      errors: ['QUOTATION_NOT_FOUND', 'OTHER_ORGANIZATION'],
      handle: ({ apiKey, params }) => quotations.pipelineStatus(apiKey.organizationId, params.id),
    }),

    partnerRoute({
      ...common,
      method: 'GET',
      url: '/quotations/:id/proposal',
      operationId: 'getQuotationProposal',
      summary: 'Get the proposal of a quotation',
      description: 'Returns metadata only. The document has its own link, once `document_id` is set.',
      answer: {
        status: 200,
        description: 'The proposal.',
        schema: Proposal,
        example: {
          id: EXAMPLE.proposalId,
          name: 'Customer portal',
          status: 'completed',
          document_id: EXAMPLE.documentId,
          quotation_id: EXAMPLE.quotationId,
          created_at: EXAMPLE.finishedAt,
          updated_at: EXAMPLE.finishedAt,
        },
      },
      errors: ['QUOTATION_NOT_FOUND', 'PROPOSAL_NOT_FOUND', 'OTHER_ORGANIZATION'],
      handle: ({ apiKey, params }) => quotations.proposal(apiKey.organizationId, params.id),
    }),
  ]
}

const IDEMPOTENCY_KEY = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,255}$',
      description:
        'Your own unique key. A repeated request with the same key within 24 hours starts nothing and gets the first response.',
    }),
  ),
})

const FORM_URL = '/quotations/files'

/** The start with JSON or a form, and with a form alone, for generators and gateways that know one media type a route. */
function startRoutes({ quotations, requirementsFiles, settings }: Integrations): readonly PartnerRoute[] {
  const { limits } = settings
  const start = {
    ...common,
    method: 'POST',
    limit: 'starts',
    requestHeaders: IDEMPOTENCY_KEY,
    answer: {
      status: 202,
      description: 'The quotation was accepted and will run.',
      schema: StartedQuotation,
      example: { quotation_id: EXAMPLE.quotationId, status: 'queued' },
      headers: {
        Location: Type.String({
          description: 'The address of the summary of the quotation, to resolve against this URL.',
        }),
        'Retry-After': Type.Integer({ description: 'Seconds to wait before polling.' }),
        'Idempotency-Replayed': Type.Literal('true', {
          description: 'Sent if an earlier request with the same Idempotency-Key started the quotation.',
        }),
      },
    },
    errors: ['IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'],
    async handle({ apiKey, body, request, address, headers }) {
      const { organizationId } = apiKey
      const idempotencyKey = request.headers['idempotency-key']
      const form = isMultipart(request)
        ? await receiveMultipart(request, { organizationId, requirementsFiles, limits })
        : { body }
      const { repeated, ...started } = await quotations.start({
        organizationId,
        source: 'api_key',
        apiKeyId: apiKey.id,
        traceHeaders: request.headers,
        ...form,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey: String(idempotencyKey) }),
      })
      headers['Location'] = `${address().replace(/\/files$/i, '')}/${started.quotation_id}`
      headers['Retry-After'] = String(POLL_AFTER_SECONDS)
      if (repeated) headers['Idempotency-Replayed'] = 'true'
      return started
    },
  } satisfies Partial<PartnerRoute<string, typeof StartedQuotation>>
  return [
    partnerRoute({
      ...start,
      url: '/quotations',
      operationId: 'startQuotation',
      summary: 'Start a Quick Quote',
      description:
        'Returns at once. Follow the quotation by polling or webhooks. Any organization in the body is ignored: the key decides. Takes the form of `startQuotationFromFiles`, too.',
      body: {
        'application/json': {
          schema: startQuotationJson(limits),
          example: { ...quote, requirementsText: 'Customers sign in and see their invoices.' },
        },
      },
    }),
    partnerRoute({
      ...start,
      url: FORM_URL,
      operationId: 'startQuotationFromFiles',
      summary: 'Start a Quick Quote from files',
      description: 'The start with a form. The same `Idempotency-Key` in both routes starts one quotation.',
      body: {
        'multipart/form-data': {
          schema: startQuotationForm(limits),
          example: {
            ...quote,
            metadata: JSON.stringify(quote.metadata),
            files: ['(the bytes of requirements.docx)', '(the bytes of screens.pdf)'],
          },
        },
      },
    }),
  ]
}

function summaryRoute({ apiKeys, quotations, settings, storage }: Integrations, waits: Waits): PartnerRoute {
  const { findChanged } = storage.quotations
  const lookout = findChanged && createLookout(findChanged, settings.logger)
  return partnerRoute({
    ...common,
    method: 'GET',
    url: '/quotations/:id',
    operationId: 'getQuotation',
    summary: 'Get the summary of a quotation',
    description:
      'With `wait`, the response comes as soon as the quotation changes (with `until=end`: has ended), or when the time is over. To miss no change, send the `updated_at` of the last response as `since`.',
    query: QuotationQuery,
    endWaits: () => waits.close(),
    answer: {
      status: 200,
      description: 'The quotation.',
      schema: Quotation,
      example: summary,
    },
    errors: ['QUOTATION_NOT_FOUND', 'OTHER_ORGANIZATION'],
    async handle({ apiKey, params, query, request, clientSignal }) {
      const { since, until } = validateUrlPart(QuotationQuery, query, '?')
      const { id: apiKeyId, organizationId } = apiKey
      const first = await quotations.get(organizationId, params.id)
      const waitMs = waitMsOf(query as object)
      if (lookout === undefined || waitMs === 0) return first
      const { id } = first
      const known = optionalTimeOf(since) ?? first.updated_at
      return waits.hold({
        apiKeyId,
        clientSignal,
        first,
        waitMs,
        isNews: (quotation) => hasEnded(quotation) || (until !== 'end' && +quotation.updated_at !== +known),
        watch: ({ updated_at }, ring) => lookout({ organization_id: organizationId, id, updated_at }, ring),
        async read() {
          await authenticate(apiKeys, request)
          return quotations.get(organizationId, id)
        },
      })
    },
  })
}

function cancelRoute(cancel: NonNullable<Integrations['quotations']['cancel']>): PartnerRoute {
  return partnerRoute({
    ...common,
    method: 'POST',
    url: '/quotations/:id/cancel',
    operationId: 'cancelQuotation',
    summary: 'Cancel a quotation',
    description:
      'The quotation fails at once with the `error_code` `CANCELLED`, and `quotation.failed` is sent. Safe to repeat. Quotations of the web app can be cancelled, too. A body is ignored.',
    answer: {
      status: 202,
      description: 'The quotation is cancelled, now or by an earlier request.',
      schema: Quotation,
      example: { ...summary, status: 'failed', error_code: CANCELLED },
    },
    errors: ['QUOTATION_NOT_FOUND', 'OTHER_ORGANIZATION', 'QUOTATION_ENDED'],
    handle: ({ apiKey, params }) => cancel(apiKey.organizationId, params.id),
  })
}

function listRoute(list: NonNullable<Integrations['quotations']['list']>): PartnerRoute {
  return partnerRoute({
    ...common,
    method: 'GET',
    url: '/quotations',
    operationId: 'listQuotations',
    summary: 'List the quotations of the organization',
    description:
      'Lists quotations newest first, including those of the web app. Follow the `Link` header: a quotation that exists throughout is listed exactly once, even if others are started or changed meanwhile.',
    query: QuotationListQuery,
    answer: {
      status: 200,
      description: 'The quotations.',
      schema: Type.Array(Quotation),
      example: [summary],
      headers: PAGE_HEADERS,
    },
    errors: [],
    handle: async ({ apiKey, query, ...call }) =>
      pageAnswer(await list(apiKey.organizationId, query), call, QuotationListQuery),
  })
}
