const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

/**
 * Reads a timestamp of RFC 3339 with a time zone, in the years 0001 to 9999, as written and in UTC: what JavaScript and
 * PostgreSQL understand alike. Leap seconds are not among it. Fractions of a millisecond are cut off.
 * @returns null for anything else
 */
export function parseTimestamp(text: string): Date | null {
  const [matched, year, month, day, hours, minutes, seconds, fraction = '', sign, ...offset] =
    RFC_3339.exec(text) ?? []
  if (matched === undefined) return null
  const local = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`
  const asUtc = new Date(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  // Date makes the second of March of the 30th of February, and takes 24:00.
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(local)) return null
  const offsetMinutes = Number(offset[0] ?? 0) * 60 + Number(offset[1] ?? 0)
  const time = new Date(asUtc.getTime() + (sign === '-' ? 1 : -1) * offsetMinutes * 60_000)
  return [asUtc, time].every(isInRange) ? time : null
}

/** The time of a timestamp that a schema has checked. */
export function timeOf(timestamp: string): Date {
  const time = parseTimestamp(timestamp)
  if (time === null) throw new RangeError('not a timestamp')
  return time
}

/** The same for one that may be left out. */
export function optionalTimeOf(timestamp: string | undefined): Date | null {
  return timestamp === undefined ? null : timeOf(timestamp)
}

function isInRange(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
}
