import { type Static, Type } from '@sinclair/typebox'
import { EVENT_TYPES } from './event-catalog.ts'
import { NullableInteger, NullableString, OneOf, Uuid } from './schema.ts'

/** What a test asks for. */
export const TestDeliveryBody = Type.Object(
  {
    event_type: OneOf(EVENT_TYPES, { description: 'An event type that the endpoint subscribes to.' }),
  },
  { title: 'TestDelivery' },
)

/** How a test went. It is 200 whatever the receiver answered. */
export const TestDeliveryResult = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether the receiver answered with a 2xx status.' }),
    http_status: NullableInteger,
    error: NullableString,
    attempt_id: Uuid,
  },
  { title: 'TestDeliveryResult' },
)
export type TestDeliveryResult = Static<typeof TestDeliveryResult>
