import type { Static } from '@sinclair/typebox'
import { ONLY_KNOWN, PAGE_PARAMETERS, waitParameter } from '../lib/page.ts'
import { Name, Nullable, OneOf, SentTimestamp, schemaOf, Text, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { EXTERNAL_ID_LENGTH, type Limits } from './limits.ts'

/** The steps of the pipeline, in order. */
export const STEPS = [
  'requirement_analysis',
  'functional_specification',
  'work_breakdown',
  'effort_estimation',
  'proposal',
] as const
export type Step = (typeof STEPS)[number]

export const QUOTATION_STATUSES = ['queued', 'running', 'completed', 'failed'] as const
export type QuotationStatus = (typeof QUOTATION_STATUSES)[number]

export const SOURCES = ['ui', 'api_key'] as const
/** Where a quote was started: `generation_source` in webhook payloads. */
export type Source = (typeof SOURCES)[number]

/** The quotation as the summary endpoint returns it (specification, "Quotation"). */
export const Quotation = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: Type.String(),
    status: OneOf(QUOTATION_STATUSES),
    processed_step: OneOf(['none', ...STEPS], { description: 'The last finished step.' }),
    source: OneOf(SOURCES),
    config_id: Nullable(Uuid),
    error_code: Nullable(Type.String()),
    external_id: Nullable(Type.String(), 'Your own ID, sent with the start.'),
    metadata: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The metadata sent with the start.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Quotation' },
)
export type Quotation = Static<typeof Quotation>

/** The query of a summary, for waiting. */
export const QuotationQuery = Type.Object({
  wait: waitParameter('Seconds to wait for a change, unless the quotation has ended.'),
  until: Type.Optional(
    OneOf(['change', 'end'], {
      default: 'change',
      description: '`end` waits until the quotation has completed or failed, not just for its next change.',
    }),
  ),
  since: Type.Optional(
    SentTimestamp({
      description:
        'The `updated_at` of your last response: returns at once if it has changed since. Default: the current one. Means nothing with `until=end`.',
    }),
  ),
})

/** The `error_code` of a cancelled quotation. */
export const CANCELLED = 'CANCELLED'

/** Whether its run has completed or failed: nothing of the summary changes any more. */
export function hasEnded({ status }: Pick<Quotation, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

export const QuotationListQuery = Type.Object(
  {
    status: Type.Optional(OneOf(QUOTATION_STATUSES)),
    source: Type.Optional(OneOf(SOURCES)),
    created_since: Type.Optional(SentTimestamp({ description: 'Quotations started at this time or later.' })),
    created_until: Type.Optional(SentTimestamp({ description: 'Quotations started before this time.' })),
    external_id: Type.Optional(
      Name({
        minLength: 1,
        maxLength: EXTERNAL_ID_LENGTH,
        description: 'Quotations started with exactly this ID.',
      }),
    ),
    ...PAGE_PARAMETERS,
  },
  ONLY_KNOWN,
)

/** The filters of a list of quotations; null: any. */
export interface QuotationFilter {
  readonly status: QuotationStatus | null
  readonly source: Source | null
  /** Inclusive. */
  readonly created_since: Date | null
  /** Exclusive. */
  readonly created_until: Date | null
  readonly external_id: string | null
}

export const ANY_QUOTATION: QuotationFilter = {
  status: null,
  source: null,
  created_since: null,
  created_until: null,
  external_id: null,
}

/** Proposal metadata (specification, "Proposal"). */
export const Proposal = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: OneOf(['completed']),
    document_id: Nullable(Uuid),
    quotation_id: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Proposal' },
)
export type Proposal = Static<typeof Proposal>

const STEP_STATUSES = ['pending', 'running', 'completed', 'failed'] as const

export const StepStatus = Type.Object({
  step: OneOf(STEPS),
  status: OneOf(STEP_STATUSES),
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
  error_code: Nullable(Type.String()),
})
export type StepStatus = Static<typeof StepStatus>

/** The progress of a quotation, step by step. */
export const PipelineStatus = Type.Object(
  {
    quotation_id: Uuid,
    status: OneOf(QUOTATION_STATUSES),
    processed_step: OneOf(['none', ...STEPS]),
    progress: Type.Object({ completed: Type.Integer(), total: Type.Integer() }),
    steps: Type.Array(StepStatus),
    error_code: Nullable(Type.String()),
    updated_at: Timestamp,
  },
  { title: 'PipelineStatus' },
)
export type PipelineStatus = Static<typeof PipelineStatus>

/** The response to a start: `202 Accepted`. */
export const StartedQuotation = Type.Object(
  { quotation_id: Uuid, status: OneOf(QUOTATION_STATUSES) },
  { title: 'StartedQuotation' },
)
export type StartedQuotation = Static<typeof StartedQuotation>

/** A short-lived link to a proposal document. */
export const DocumentUrl = Type.Object(
  { url: Type.String({ format: 'uri' }), expires_at: Timestamp },
  { title: 'DocumentUrl' },
)
export type DocumentUrl = Static<typeof DocumentUrl>

/** The body of a start (specification, "POST /v1/integrations/quotations"). Unknown fields are ignored. */
export const startQuotationBody = schemaOf((limits: Limits) =>
  Type.Object(
    {
      name: Type.Optional(Nullable(Name({ maxLength: limits.nameLength }))),
      description: Type.Optional(Nullable(Text({ maxLength: limits.descriptionLength }))),
      config_id: Type.Optional(Nullable(Uuid)),
      external_id: Type.Optional(
        Nullable(
          Name({
            minLength: 1,
            maxLength: EXTERNAL_ID_LENGTH,
            description: 'Your own ID, by which the list can be filtered. Need not be unique.',
          }),
        ),
      ),
      requirementsText: Type.Optional(
        Nullable(
          Text({
            maxLength: limits.requirementsTextLength,
            description: 'The requirements. Required unless at least one file is sent.',
          }),
        ),
      ),
      metadata: Type.Optional(
        Type.Unsafe<Record<string, unknown> | null>({
          type: ['object', 'null'],
          additionalProperties: true,
          description: `Your own data, passed to the pipeline unchanged. At most ${limits.metadataBytes} bytes of JSON.`,
        }),
      ),
    },
    { title: 'StartQuotation' },
  ),
)
export type StartQuotationBody = Static<ReturnType<typeof startQuotationBody>>

/** A requirements file of an accepted quote. */
export interface QuotationFile {
  readonly id: string
  readonly name: string
  readonly type: 'docx' | 'pdf' | 'txt' | 'md'
  readonly size: number
}
