/** A header as servers pass it: once, several times, or missing. */
export type HeaderValue = string | readonly string[] | null | undefined

/** `Headers` of the Fetch API, or a plain object such as Node's `request.headers`. Names in any case. */
export type WebhookHeaders = { get(name: string): string | null } | Readonly<Record<string, HeaderValue>>

/** The value of a header; empty if missing, joined if repeated. */
export function headerOf(headers: WebhookHeaders, name: string): string {
  if (isFetchHeaders(headers)) return headers.get(name) ?? ''
  return joined(
    Object.entries(headers)
      .filter(([key]) => key.toLowerCase() === name.toLowerCase())
      .flatMap(([, value]) => value ?? []),
  )
}

/** Joins a repeated header, as in HTTP. */
export function joined(value: HeaderValue): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ')
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
