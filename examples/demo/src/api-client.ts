/** Calls the example's API over HTTP, and checks the status. */
export async function call<T>(
  url: string,
  { method, status, headers = {}, body, signal }: CallOptions,
): Promise<{ body: T; headers: Headers }> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  if (response.status !== status) {
    throw new Error(`${new URL(url).pathname} answered ${response.status}, not ${status}: ${text}`)
  }
  return { body: JSON.parse(text), headers: response.headers }
}

interface CallOptions {
  /** Default: POST with a body, GET without. */
  readonly method?: string
  /** The expected status. */
  readonly status: number
  readonly headers?: Record<string, string>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}
