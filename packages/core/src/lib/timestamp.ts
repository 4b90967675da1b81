const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

/**
 * Parses an RFC 3339 timestamp with a time zone, in the years 0001 to 9999 both as written and in UTC: the common range
 * of JavaScript and PostgreSQL. Without leap seconds. Truncates fractions of a millisecond.
 * @returns null for anything else
 */
export function parseTimestamp(text: string): Date | null {
  const [matched, year, month, day, hours, minutes, seconds, fraction = '', sign, ...offset] =
    RFC_3339.exec(text) ?? []
  if (matched === undefined) return null
  const local = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`
  const asUtc = new Date(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  // Date turns the 30th of February into the 2nd of March, and accepts 24:00.
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(local)) return null
  const offsetMinutes = Number(offset[0] ?? 0) * 60 + Number(offset[1] ?? 0)
  const time = new Date(asUtc.getTime() + (sign === '-' ? 1 : -1) * offsetMinutes * 60_000)
  return [asUtc, time].every(isInRange) ? time : null
}

/** The time of a validated timestamp. */
export function timeOf(timestamp: string): Date {
  const time = parseTimestamp(timestamp)
  if (time === null) throw new RangeError('not a timestamp')
  return time
}

/** The same for an optional one. */
export function optionalTimeOf(timestamp: string | undefined): Date | null {
  return timestamp === undefined ? null : timeOf(timestamp)
}

function isInRange(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
}
