import createFetchClient from 'openapi-fetch'
import { ApiError, apiError, ConnectionError, TimeoutError } from './errors.ts'
import type { paths } from './generated/openapi.ts'
import { sleep, withDeadline } from './waiting.ts'

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call with its retries and waits: it rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined
}

export interface RequestSettings {
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxRetries: number
}

type FetchClient = ReturnType<typeof createFetchClient<paths>>

interface FetchAnswer<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

interface Answer<T> {
  readonly data: T
  readonly headers: Headers
}

export type Requests = ReturnType<typeof createRequests>

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000
/** If the service asks for a longer wait, the caller decides. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000

/** Sends requests, retries where possible, and throws errors. Every request must be safe to repeat. */
export function createRequests(settings: RequestSettings) {
  const address = new URL(settings.baseUrl).host
  const client = createFetchClient<paths>({
    baseUrl: settings.baseUrl,
    headers: { 'X-API-Key': settings.apiKey },
    fetch: (request) => jsonOnly(whole(() => settings.fetch(request), address)),
    redirect: 'manual',
  })

  return async function request<T>(
    call: (client: FetchClient, signal: AbortSignal) => Promise<FetchAnswer<T>>,
    { signal }: CallOptions = {},
    /** Additional time for a long poll. */
    extraMs = 0,
  ): Promise<Answer<T>> {
    for (let retries = 0; ; retries++) {
      try {
        const answer = await withDeadline((each) => call(client, each), settings.timeoutMs + extraMs, signal)
        return accepted(answer)
      } catch (error) {
        // If its connection was lost, the first attempt may still be running: the retry returns its response.
        const isOurOwn = retries > 0 && error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_IN_USE'
        if (retries >= settings.maxRetries || !(isOurOwn || isTemporary(error))) throw error
        const askedMs = (error instanceof ApiError ? error.retryAfterMs : null) ?? 0
        if (askedMs > LONGEST_RETRY_AFTER_MS) throw error
        await sleep(Math.max(askedMs, backoffMs(retries)), signal)
      }
    }
  }
}

/** A response with all of its body. @throws ConnectionError without a connection up to its end */
async function whole(send: () => Promise<Response>, address: string): Promise<Response> {
  try {
    const response = await send()
    return response.body === null ? response : new Response(await response.arrayBuffer(), response)
  } catch (error) {
    throw new ConnectionError(address, error)
  }
}

/** A proxy's login page is not a success. */
async function jsonOnly(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  const { ok, status, headers } = response
  if (ok && !headers.get('Content-Type')?.includes('json')) throw apiError({ status, headers, body: null })
  return response
}

function accepted<T>({ data, error, response }: FetchAnswer<T>): Answer<T> {
  const { ok, status, headers } = response
  if (!ok || data === undefined) throw apiError({ status, headers, body: error })
  return { data, headers }
}

/** The fields without undefined ones. */
export function given<T extends object>(fields: T): { [N in keyof T]?: Exclude<T[N], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/**
 * The parameters of a path with an id. Without text, or as `.` or `..`, it would lead to another path, however it is
 * encoded.
 * @throws TypeError
 */
export function pathOf(id: string): { path: { id: string } } {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('The id must be the id of a quote or proposal')
  return { path: { id } }
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return [429, 502, 503, 504].includes(error.status)
  return error instanceof TimeoutError || error instanceof ConnectionError
}

/** 0.5 s, 1 s, 2 s and so on, less up to half, so that clients do not return all at once. */
function backoffMs(retries: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** retries, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2)
}
