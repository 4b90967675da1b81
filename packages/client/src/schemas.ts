import type { components } from './generated/openapi.ts'

type Schemas = components['schemas']

export type Quotation = Schemas['Quotation']
export type StartedQuotation = Schemas['StartedQuotation']
export type PipelineStatus = Schemas['PipelineStatus']
export type Proposal = Schemas['Proposal']
export type DocumentUrl = Schemas['DocumentUrl']
export type Problem = Schemas['Problem']
/** The known error codes. New ones may be added. */
export type ProblemCode = Problem['code']
