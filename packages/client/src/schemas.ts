import type { components } from './generated/openapi.ts'

type Schemas = components['schemas']

export type Quotation = Schemas['Quotation']
export type StartedQuotation = Schemas['StartedQuotation']
export type PipelineStatus = Schemas['PipelineStatus']
export type Proposal = Schemas['Proposal']
export type DocumentUrl = Schemas['DocumentUrl']
export type Problem = Schemas['Problem']
/** The codes that an error may have. There may be more to come. */
export type ProblemCode = Problem['code']
