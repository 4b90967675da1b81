/** No id comes before it. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000'

/** A new id that sorts by the time of the event, whose id is a uuid of version 7 too. An SQL expression. */
export function newDeliveryId(eventId: string): string {
  return `(left(${eventId}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid`
}

/** Holds for the ids that were made of the event: a small part of an index. An SQL expression. */
export function deliveryIds(eventId: string, id: string): string {
  const first = `left(${eventId}::text, 15)`
  return `${id} >= (${first} || '000-0000-000000000000')::uuid and ${id} <= (${first} || 'fff-ffff-ffffffffffff')::uuid`
}

/** The first id, of version 7 or not, that can have been made at that moment. No id was made before 1970. */
export function firstIdOf(moment: Date): string {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** Clocks differ: attempts of a delivery are looked for from this long before its id was made. */
const CLOCK_SKEW_MS = 60 * 60 * 1000

/** No attempt of a delivery is older. Spares the search through the partitions of the days before. */
export function madeSince(deliveryId: string): Date {
  const isVersion7 = deliveryId[14] === '7'
  const time = isVersion7 ? Number.parseInt(deliveryId.replace('-', '').slice(0, 12), 16) : CLOCK_SKEW_MS
  return new Date(time - CLOCK_SKEW_MS)
}
