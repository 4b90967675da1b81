/**
 * Parses a `Retry-After` header (RFC 9110): whole seconds, or an HTTP date. In milliseconds, never negative; null for
 * anything else.
 */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: Date): number | null {
  const value = typeof header === 'string' ? header.trim() : undefined
  if (value === undefined) return null
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // Date.parse accepts more than HTTP dates, which all begin with a weekday.
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(withZone(value)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}

/** The asctime form (`Sun Nov  6 08:49:37 1994`) has no zone and means GMT. */
function withZone(value: string): string {
  return value.endsWith(' GMT') ? value : `${value} GMT`
}
