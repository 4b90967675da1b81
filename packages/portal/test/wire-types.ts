// Fails to compile when the screens and the OpenAPI document part.

import type * as wire from '../ui/api/types.ts'
import type { components } from './generated/openapi.d.ts'

type Schemas = components['schemas']

/** The document gives at least what the screens read. */
type Gives<Given extends Wanted, Wanted> = Given

export type Answers = [
  Gives<Schemas['Me'], wire.Me>,
  Gives<Schemas['ApiKey'], wire.ApiKey>,
  Gives<Schemas['CreatedApiKey'], wire.CreatedApiKey>,
  Gives<Schemas['WebhookEndpoint'], wire.WebhookEndpoint>,
  Gives<Schemas['WebhookEndpointWithSecret'], wire.EndpointWithSecret>,
  Gives<Schemas['TestDeliveryResult'], wire.TestResult>,
  Gives<Schemas['CatalogEntry'], wire.CatalogEntry>,
  Gives<Schemas['DeliveryAttempt'], wire.Attempt>,
  Gives<Schemas['Delivery'], wire.Delivery>,
  Gives<Schemas['DeliveryHour'], wire.DeliveryHour>,
  Gives<Schemas['ReplayCount'], wire.ReplayCount>,
  Gives<Schemas['Replay'], wire.Replay>,
  Gives<Schemas['AuditEntry'], wire.AuditEntry>,
]
