/** The lowest id. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000'
/** The highest: a bound where none is asked for. */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A new id that sorts by the time of the event, whose id is also a version 7 uuid. An SQL expression. */
export function newDeliveryId(eventId: string): string {
  return `(left(${eventId}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid`
}

/** Matches the ids derived from the event: a small range of an index. An SQL expression. */
export function deliveryIds(eventId: string, id: string): string {
  return `${id} >= $schema.first_delivery_of(${eventId}) and ${id} <= $schema.last_delivery_of(${eventId})`
}

/** The lowest id, of version 7 or not, from that moment. No id is older than 1970. */
export function firstIdOf(moment: Date): string {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
