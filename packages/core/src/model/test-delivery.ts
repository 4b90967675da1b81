import { type Static, Type } from '@sinclair/typebox'
import { NullableInteger, NullableString, OneOf, Uuid } from '../lib/schema.ts'
import type { EventCatalog } from './event-catalog.ts'

/** What a test asks for. */
export function testDeliveryBody({ types }: EventCatalog) {
  return Type.Object(
    { event_type: OneOf(types, { description: 'An event type that the endpoint subscribes to.' }) },
    { title: 'TestDelivery' },
  )
}

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
