import { type DeliveryStatus, ERASED } from '@quickquote/core/internal'
import {
  bool,
  columnsOf,
  millisOf,
  nullable,
  oneOf,
  selected,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import { urlOf } from '../endpoints/webhook-endpoints.sql.ts'
import { newDeliveryId } from '../ids.ts'
import { notErased } from '../not-erased.sql.ts'
import { deliveryAttempts } from '../schema.ts'

const { organization_id: _, endpoint_version: __, ...ATTEMPT } = columnsOf(deliveryAttempts)

/**
 * Searches no index: a plan made while the tables were empty could read everything that the organization has, instead of
 * one row by its id.
 */
const OF_ORGANIZATION = 'organization_id is not distinct from $organization_id'

/** Of a delivery, in order. */
export const FIND_ATTEMPTS = statement(
  { ...ATTEMPT, url: nullable(text) },
  `select ${selected(ATTEMPT)}, ${urlOf('attempted')} as url
    from $schema.delivery_attempts attempted
    where delivery_id = $id and ${OF_ORGANIZATION}
    order by attempt`,
)

/**
 * A delivery that has not ended. Tests are parked while they wait for a worker. Deliveries to a disabled or deleted endpoint
 * count as parked, even if the row of a long backlog is not updated yet.
 */
export const FIND_UNFINISHED = statement(
  {
    endpoint_id: uuid,
    event_id: uuid,
    event_type: text,
    quotation_id: nullable(uuid),
    is_test: bool,
    status: oneOf<DeliveryStatus>(),
    due_at: nullable(time),
  },
  `select delivery.endpoint_id, delivery.event_id, event.type as event_type, event.quotation_id, delivery.is_test,
      case when leased_by is not null then 'sending'
        when delivery.is_test or parked_at is null and is_enabled and deleted_at is null then 'pending'
        else 'parked' end as status,
      ${millisOf(`nullif(due_at, 'infinity')`)} as due_at
    from $schema.deliveries delivery
    join $schema.events event on event.id = event_id
    join $schema.webhook_endpoints endpoint on endpoint.id = endpoint_id
    where delivery.id = $id and delivery.organization_id = $organization_id`,
)

export const FIND_BODY = statement(
  { body: text },
  `select body from $schema.events
    where id = $event_id and ${OF_ORGANIZATION}`,
)

/**
 * Replaces an ended or parked delivery with a new one. Does nothing while it is being sent.
 *
 * Holds the quotation's row of event numbers, which the erasing of the quotation deletes first: the erasing ends the new
 * delivery, or nothing is resent. Holds the endpoint, so that the erasing of the organization finds the delivery.
 */
export const RESEND = statement(
  { id: uuid, body: text },
  `with event as (
      select event.id, event.organization_id, event.created_at, event.body, endpoint.generation,
        case when endpoint.ordering = 'quotation' and sequence is not null then event.quotation_id end as quotation_id,
        case when endpoint.ordering = 'quotation' then sequence end as sequence
      from $schema.events event
      join $schema.webhook_endpoints endpoint
        on endpoint.id = $endpoint_id and endpoint.organization_id = event.organization_id
      left join lateral (
        select true as is_kept from $schema.event_sequences
        where organization_id = event.organization_id and quotation_id = event.quotation_id
        for key share
      ) numbers on true
      where event.id = $event_id and event.${OF_ORGANIZATION} and not is_test
        and body <> '${ERASED}' and (sequence is null or is_kept)
        and not exists (select from $schema.deliveries where id = $id and leased_by is not null)
        and ${notErased()} and $schema.keep_event($event_id::uuid)
      for key share of endpoint
    ), replaced as (
      delete from $schema.deliveries
      where id = $id and organization_id = $organization_id and leased_by is null and exists (select from event)
    )
    insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      generation, quotation_id, sequence)
    select ${newDeliveryId('event.id')}, organization_id, $endpoint_id, event.id, created_at, $now, generation,
      quotation_id, sequence
    from event
    returning id, (select body from event) as body`,
)

/** From the audit log: the newest delivery that a resend of this one created, and the one that it was resent from. */
export const FIND_RESENDS = statement(
  { resent_as: nullable(uuid), resent_from: nullable(uuid) },
  `with resend as (
      select created_at, id as entry,
        jsonb_path_query_first(changes, '$[*] ? (@.field == "delivery_id").to') #>> '{}' as delivery,
        jsonb_path_query_first(changes, '$[*] ? (@.field == "resent_as").to') #>> '{}' as successor
      from $schema.audit_log
      where organization_id = $organization_id and action = 'webhook_endpoint.delivery_resent'
        and changes @> jsonb_build_array(jsonb_build_object('to', $id::uuid))
    )
    select (
      select successor::uuid from resend where delivery = $id::uuid::text order by created_at desc, entry desc limit 1
    ) as resent_as,
    (select delivery::uuid from resend where successor = $id::uuid::text limit 1) as resent_from`,
)
