export { type Client, type ClientOptions, createClient } from './client.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  ForbiddenError,
  NotFoundError,
  QuotationFailedError,
  RateLimitedError,
  ServiceError,
  TimeoutError,
  ValidationError,
} from './errors.ts'
export type { EventCalls, EventPage, EventsOptions, FollowOptions } from './events.ts'
export type { FileContent, NamedFile, RequirementsFile } from './files.ts'
export type { Page, Pages } from './pages.ts'
export type { ProposalCalls } from './proposals.ts'
export type {
  GetOptions,
  ListOptions,
  QuotationCalls,
  StartOptions,
  StartQuotation,
  WaitOptions,
} from './quotations.ts'
export type { CallOptions } from './requests.ts'
export type {
  DocumentUrl,
  PipelineStatus,
  ProblemCode,
  Proposal,
  Quotation,
  StartedQuotation,
} from './schemas.ts'
export type { UnwrapOptions, WebhookCalls, WebhookRequest } from './webhooks.ts'
