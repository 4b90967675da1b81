import { ONLY_KNOWN, PAGE_PARAMETERS } from '../lib/page.ts'
import { OneOf, SentTimestamp, Text, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { PATTERNS } from '../lib/validator.ts'
import { ATTEMPT_STATUSES } from './delivery.ts'
import type { EventCatalog } from './event-catalog.ts'
import { EXTERNAL_ID_LENGTH } from './limits.ts'

/**
 * Deliveries that have not reached their endpoint, each with its newest attempt. `retrying`: another attempt is due;
 * `given_up`: none is; `all`: both, and parked deliveries.
 */
const UNDELIVERED = ['all', 'retrying', 'given_up'] as const
export type Undelivered = (typeof UNDELIVERED)[number]

/** Which attempts of a delivery are listed: all, or only the newest. */
const ATTEMPTS_LISTED = ['all', 'latest'] as const
export type AttemptsListed = (typeof ATTEMPTS_LISTED)[number]

/** The filters of a list of delivery attempts (specification, `GET /deliveries`). */
export function deliveryLogQuery({ types }: EventCatalog) {
  return Type.Object(
    {
      endpoint_id: Type.Optional(Uuid),
      event_type: Type.Optional(OneOf(types)),
      event_id: Type.Optional(
        Type.String({ pattern: PATTERNS.eventId, description: 'Attempts to deliver this event (`evt_…`).' }),
      ),
      quotation_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'Attempts to deliver the events of this quotation.' }),
      ),
      external_id: Type.Optional(
        Text({
          minLength: 1,
          maxLength: EXTERNAL_ID_LENGTH,
          description:
            "Attempts to deliver the events of the newest 100 quotations with this `external_id`, the partner's own ID.",
        }),
      ),
      status: Type.Optional(OneOf(ATTEMPT_STATUSES)),
      http_status: Type.Optional(
        Type.String({
          pattern: PATTERNS.httpStatus,
          description:
            'The response: a status such as `404`, a class such as `5xx`, or `none` for no response.',
        }),
      ),
      attempts: Type.Optional(
        OneOf(ATTEMPTS_LISTED, {
          default: 'all',
          description:
            '`latest`: only the newest attempt of each delivery. The other filters apply to that attempt.',
        }),
      ),
      undelivered: Type.Optional(
        OneOf(UNDELIVERED, {
          description:
            'Only undelivered events, each with its newest attempt, without tests. `retrying`: another attempt is due. `given_up`: no attempts are left. `all`: both, and parked deliveries.',
        }),
      ),
      since: Type.Optional(SentTimestamp({ description: 'Attempts made at this time or later.' })),
      until: Type.Optional(SentTimestamp({ description: 'Attempts made before this time.' })),
      ...PAGE_PARAMETERS,
    },
    ONLY_KNOWN,
  )
}

export const DeliveryHoursQuery = Type.Object({
  endpoint_id: Type.Optional(Uuid),
  since: Type.Optional(
    SentTimestamp({
      description:
        'Attempts made at this time or later: at most seven days before `until`. Default: one day before.',
    }),
  ),
  until: Type.Optional(SentTimestamp({ description: 'Attempts made before this time. Default: now.' })),
})
