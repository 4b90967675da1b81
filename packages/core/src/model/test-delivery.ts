import type { Static } from '@sinclair/typebox'
import { Nullable, OneOf, schemaOf, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { EventCatalog } from './event-catalog.ts'

export const testDeliveryBody = schemaOf(({ types }: EventCatalog) =>
  Type.Object(
    { event_type: OneOf(types, { description: 'One of the event types of the endpoint.' }) },
    { title: 'TestDelivery' },
  ),
)

export type TestDeliveryBody = Static<ReturnType<typeof testDeliveryBody>>

/** The result of a test. The status is 200 whatever the receiver answers. */
export const TestDeliveryResult = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether the receiver answered with a 2xx status.' }),
    http_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    attempt_id: Uuid,
  },
  { title: 'TestDeliveryResult' },
)
export type TestDeliveryResult = Static<typeof TestDeliveryResult>
