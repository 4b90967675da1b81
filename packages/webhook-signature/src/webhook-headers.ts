/** A header as servers hand it over: once, several times, or not at all. */
export type HeaderValue = string | readonly string[] | null | undefined

/** `Headers` of the Fetch API, or a plain object such as Node's `request.headers`. Names in any case. */
export type WebhookHeaders = { get(name: string): string | null } | Readonly<Record<string, HeaderValue>>

/** The value of a header; empty when it did not come, joined when it came more than once. */
export function headerOf(headers: WebhookHeaders, name: string): string {
  if (isFetchHeaders(headers)) return headers.get(name) ?? ''
  return joined(
    Object.entries(headers)
      .filter(([key]) => key.toLowerCase() === name.toLowerCase())
      .flatMap(([, value]) => value ?? []),
  )
}

/** A header that came more than once is joined, as HTTP does it. */
export function joined(value: HeaderValue): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ')
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
