// Fails to compile if the screens and the OpenAPI document differ.

import type * as wire from '../ui/api/types.ts'
import type { components } from './generated/openapi.d.ts'

type Schemas = components['schemas']

/** The document has at least the fields that the screens read. */
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
