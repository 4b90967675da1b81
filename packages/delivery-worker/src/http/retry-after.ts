/**
 * Parses a `Retry-After` header (RFC 9110): whole seconds, or an HTTP date. In milliseconds. null for anything that asks
 * for no wait: no time, a past one, or text that is neither. Of several headers, the longest wait counts.
 */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: Date): number | null {
  if (header === undefined) return null
  const waits = [header].flat().map((value) => millisecondsOf(value.trim(), now))
  const longest = Math.max(0, ...waits)
  return longest === 0 ? null : longest
}

/** 0 if it cannot be read. */
function millisecondsOf(value: string, now: Date): number {
  // Of any length: the caller has a limit.
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER)
  // Date.parse accepts more than HTTP dates, which all begin with a weekday.
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(withZone(value)) : Number.NaN
  return Number.isNaN(date) ? 0 : date - now.getTime()
}

/** The asctime form (`Sun Nov  6 08:49:37 1994`) has no zone and means GMT. */
function withZone(value: string): string {
  return value.endsWith(' GMT') ? value : `${value} GMT`
}
