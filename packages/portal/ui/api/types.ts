// What the screens call the schemas of the session routes.

import type { components } from './generated/openapi.ts'

type Schemas = components['schemas']

export type Me = Schemas['Me']
export type Organization = Me['organization']

export type ApiKey = Schemas['ApiKey']
export type ApiKeyUses = Schemas['ApiKeyUses']
export type ApiKeyDay = ApiKeyUses['days'][number]
export type ApiKeyRequest = ApiKeyUses['requests'][number]
export type ApiKeyQuotation = Schemas['ApiKeyQuotation']
export type CreatedApiKey = Schemas['CreatedApiKey']

export type WebhookEndpoint = Schemas['WebhookEndpoint']
export type WebhookSummary = Schemas['WebhookSummary']
export type EndpointWithSecret = Schemas['WebhookEndpointWithSecret']
/** What the form edits. Headers are merged with the existing ones; null removes one. */
export type EndpointInput = Pick<
  WebhookEndpoint,
  'name' | 'url' | 'description' | 'events' | 'trigger_mode' | 'ordering'
> &
  Pick<Schemas['UpdateWebhookEndpoint'], 'headers'>
export type EndpointStatistics = Schemas['EndpointStatistics']
export type TestResult = Schemas['TestDeliveryResult']
export type ReceiverCheck = Schemas['ReceiverCheck']
export type CatalogEntry = Schemas['CatalogEntry']

export type Attempt = Schemas['DeliveryAttempt']
export type AttemptDetails = Schemas['DeliveryAttemptDetails']
export type Delivery = Schemas['Delivery']
export type DeliveryHour = Schemas['DeliveryHour']

export type ReplayInput = Schemas['StartReplay'] & { status: Schemas['Replay']['status'] }
export type ReplayCount = Schemas['ReplayCount']
export type Replay = Schemas['Replay']

export type AuditEntry = Schemas['AuditEntry']
export type AuditChange = AuditEntry['changes'][number]
