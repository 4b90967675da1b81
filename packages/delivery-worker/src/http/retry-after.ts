/**
 * The wait that a `Retry-After` header asks for (RFC 9110): whole seconds, or a date in one of the forms that HTTP
 * allows. In milliseconds, never negative; null for anything else.
 */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: Date): number | null {
  const value = typeof header === 'string' ? header.trim() : undefined
  if (value === undefined) return null
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // Date.parse takes more than HTTP dates: each of those begins with the name of a day.
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(withZone(value)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}

/** The asctime form (`Sun Nov  6 08:49:37 1994`) names no zone and means GMT. */
function withZone(value: string): string {
  return value.endsWith(' GMT') ? value : `${value} GMT`
}
