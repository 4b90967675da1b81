import createFetchClient from 'openapi-fetch'
import { ApiError, apiError, ConnectionError, TimeoutError } from './errors.ts'
import type { paths } from './generated/openapi.ts'
import { checkNames, type Names } from './options.ts'
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
  readonly status: number
  readonly headers: Headers
}

/**
 * Fields that a response of this API has, all of them text; in an array, the fields of each entry of a list.
 */
type Shape = readonly string[] | readonly [readonly string[]]

const CALL: Names<CallOptions> = { signal: true }

export type Requests = ReturnType<typeof createRequests>

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000
/** The longest time that the service lets a request wait for news. */
export const LONGEST_WAIT_SECONDS = 20
/** If the service asks for a longer wait, the caller decides. */
export const LONGEST_RETRY_AFTER_MS = 10 * 60_000

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
    shape: Shape,
    options: CallOptions = {},
    /** Additional time for a long poll. */
    extraMs = 0,
  ): Promise<Answer<T>> {
    checkNames(options, CALL)
    const { signal } = options
    for (let retries = 0; ; retries++) {
      try {
        const answer = await withDeadline((each) => call(client, each), settings.timeoutMs + extraMs, signal)
        return accepted(answer, shape)
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
  if (!ok) return response
  const text = await response.text()
  if (!headers.get('Content-Type')?.includes('json') || !isJson(text)) throw notOurs(status, headers)
  return new Response(text, response)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function accepted<T>({ data, error, response }: FetchAnswer<T>, shape: Shape): Answer<T> {
  const { ok, status, headers } = response
  if (!ok) throw apiError({ status, headers, body: error })
  if (!hasShape(data, shape)) throw notOurs(status, headers)
  return { data: data as T, status, headers }
}

/** JSON of another service would fail far from here, or be asked for again and again. */
function hasShape(data: unknown, shape: Shape): boolean {
  const [first] = shape
  if (Array.isArray(first)) return Array.isArray(data) && data.every((entry) => hasShape(entry, first))
  const fields = Object(data) as Record<string, unknown>
  return shape.every((name) => typeof fields[name as string] === 'string')
}

/** Another service has answered. */
export function notOurs(status: number, headers: Headers): ApiError {
  return apiError({ status, headers, body: null })
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
