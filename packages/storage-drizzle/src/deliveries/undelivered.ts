import type { Undelivered } from '@quickquote/core/internal'
import { deliveryIds, madeSinceOf } from './delivery-id.ts'

/**
 * Matches the newest attempt of an event that has never reached the endpoint, over all deliveries, including resends
 * and replays. An SQL condition on rows of `delivery_attempts` named `row`: each is looked up in the primary key. "offset 0"
 * prevents a join with the whole table, "is not distinct from" use of the index of an endpoint's attempts.
 */
export function isUndelivered(row: string, which: Undelivered): string {
  const waiting = `select from $schema.deliveries waiting where waiting.id = ${row}.delivery_id and waiting.parked_at is null offset 0`
  const and = { all: '', retrying: `and exists (${waiting})`, given_up: `and not exists (${waiting})` }[which]
  return `not ${row}.is_test and ${row}.status <> 'succeeded' ${and} and not exists (
    select from $schema.delivery_attempts other
    where ${deliveryIds(`${row}.event_id`, 'other.delivery_id')}
      and other.created_at >= ${madeSinceOf(`${row}.event_id`)}
      and other.event_id = ${row}.event_id and other.endpoint_id is not distinct from ${row}.endpoint_id
      and (other.status = 'succeeded'
        or (other.created_at, other.attempt, other.id) > (${row}.created_at, ${row}.attempt, ${row}.id))
    offset 0
  )`
}

/**
 * An SQL condition: matches the newest attempt of each delivery. After one without a next attempt there is none to look for. Usually the
 * next one is in the same partition or the one of the next day.
 */
export function isLatest(row: string): string {
  const later = (until: string) => `exists (
    select from $schema.delivery_attempts later
    where later.delivery_id = ${row}.delivery_id and later.attempt > ${row}.attempt
      and later.created_at >= ${row}.created_at - interval '1 hour' ${until}
    offset 0
  )`
  return `(${row}.next_attempt_at is null or not (
    ${later(`and later.created_at < ${row}.next_attempt_at + interval '1 hour'`)} or ${later('')}
  ))`
}
