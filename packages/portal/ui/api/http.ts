import { setClock } from '../clock.ts'

/** An error of the API, or a missing response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Stable: a code of the API, or `NETWORK` without a response. */
  readonly code: string
  readonly status: number
  /** The field errors of a 400: JSON pointer to text. */
  readonly fields: ReadonlyMap<string, string>
  readonly requestId: string | null
  readonly retryAfterMs: number | null

  constructor(options: {
    code: string
    status: number
    detail: string
    fields?: ReadonlyMap<string, string>
    requestId?: string | null
    retryAfterMs?: number | null
  }) {
    super(options.detail)
    this.code = options.code
    this.status = options.status
    this.fields = options.fields ?? new Map()
    this.requestId = options.requestId ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** How requests are sent. The page with the element may replace any part. */
export interface Transport {
  /** Default: the browser's `fetch`, with the cookies of this origin. */
  readonly fetch?: typeof fetch
  /** Sent with each request, such as `{ Authorization: 'Bearer …' }`. A function is called each time. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** The `cursor` of the next page. */
  readonly next: string | null
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export interface Http {
  send<Answer>(path: string, request?: Request): Promise<Answer>
  list<Item>(path: string, request?: Request): Promise<Page<Item>>
}

interface Answered {
  readonly response: Response
  readonly content: unknown
}

/** Retries of a read. Changes are never retried: the first attempt may have succeeded. */
const READ_REPEATS = 2
const REPEAT_AFTER_MS = 1000
/** A longer wait is shown instead of waited for. */
const LONGEST_WAIT_MS = 5000
const TIMEOUT_MS = 30_000

/** @param onSession called with each answer: whether there is a session, so false for a 401 */
export function createHttp(
  baseUrl: URL,
  transport: Transport,
  onSession: (isSignedIn: boolean) => void,
): Http {
  async function once(path: string, { method = 'GET', body, signal }: Request): Promise<Answered> {
    const { headers } = transport
    const given = new Headers(typeof headers === 'function' ? await headers() : headers)
    given.set('Accept', 'application/json')
    if (body !== undefined) given.set('Content-Type', 'application/json')
    // A separate timer, cleared so that it does not outlive the request.
    const controller = new AbortController()
    const abort = () => controller.abort()
    signal?.addEventListener('abort', abort)
    const timer = setTimeout(abort, TIMEOUT_MS)
    try {
      const send = transport.fetch ?? fetch
      const sentAt = Date.now()
      const response = await send(new URL(path, baseUrl).href, {
        method,
        headers: given,
        credentials: 'same-origin',
        signal: controller.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      setClock(response.headers.get('Date'), sentAt)
      onSession(response.status !== 401)
      if (!response.ok) throw await problemOf(response)
      return { response, content: response.status === 204 ? undefined : await contentOf(response) }
    } catch (error) {
      if (error instanceof ApiError || signal?.aborted) throw error
      throw new ApiError({ code: 'NETWORK', status: 0, detail: String(error) })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  async function request(path: string, options: Request = {}): Promise<Answered> {
    const repeats = (options.method ?? 'GET') === 'GET' ? READ_REPEATS : 0
    for (let repeated = 0; ; repeated++) {
      try {
        return await once(path, options)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const waitMs = error.retryAfterMs ?? REPEAT_AFTER_MS
        const isPassing = error.status === 429 || error.status === 503 || error.code === 'NETWORK'
        if (!isPassing || repeated >= repeats || waitMs > LONGEST_WAIT_MS) throw error
        await pause(waitMs, options.signal)
      }
    }
  }

  return {
    async send<Answer>(path: string, options?: Request) {
      return (await request(path, options)).content as Answer
    },
    async list<Item>(path: string, options?: Request) {
      const { response, content } = await request(path, options)
      return { items: content as Item[], next: nextOf(response) }
    },
  }
}

/** @throws ApiError for what no API sends, such as the page of a proxy that asks for a password */
async function contentOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    const { status } = response
    throw new ApiError({ code: 'UNEXPECTED_RESPONSE', status, detail: 'The response is not JSON.' })
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  const problem = await response.json().catch(() => ({}))
  const fields = new Map<string, string>()
  for (const { pointer, detail } of problem.errors ?? []) fields.set(pointer, detail)
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiError({
    code: problem.code ?? `HTTP_${response.status}`,
    status: response.status,
    detail: problem.detail ?? problem.title ?? `${response.status} ${response.statusText}`,
    fields,
    requestId: response.headers.get('X-Request-Id'),
    retryAfterMs: Number.isNaN(seconds) ? null : seconds * 1000,
  })
}

function nextOf(response: Response): string | null {
  const link = /<([^<>]*)>; ?rel="?next"?/.exec(response.headers.get('Link') ?? '')?.[1]
  return link === undefined ? null : new URL(link, 'http://any').searchParams.get('cursor')
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
