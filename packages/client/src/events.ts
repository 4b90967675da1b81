import type { WebhookPayload } from '@quickquote/webhook-signature'
import { ApiError } from './errors.ts'
import type { operations } from './generated/openapi.ts'
import { checkNames, type Names } from './options.ts'
import { nextOf } from './pages.ts'
import {
  type CallOptions,
  given,
  isTemporary,
  LONGEST_RETRY_AFTER_MS,
  LONGEST_WAIT_SECONDS,
  notOurs,
  type Requests,
} from './requests.ts'
import { sleep } from './waiting.ts'

type EventType = NonNullable<NonNullable<operations['listEvents']['parameters']['query']>['types']>[number]

interface FeedOptions extends CallOptions {
  /** Where to continue: `next` of a page, the id of an event, or `latest`. Default: the oldest event kept. */
  readonly after?: string
  /** Only these event types. Default: all. */
  readonly types?: readonly string[]
  /** Only events of quotes started through the API (default), in the web app, or either. */
  readonly generationSource?: 'api_key' | 'ui' | 'all'
}

export interface FollowOptions extends FeedOptions {
  /** Called once whenever the service cannot be reached, with the error of the last attempt. The reader then waits for it. */
  readonly onDisconnect?: (error: Error) => void
}

export interface EventsOptions extends FeedOptions {
  /** 1 to 100; default 50. */
  readonly limit?: number
  /** How long to wait if there is no event: 0 to 20 seconds. Default 0. */
  readonly waitSeconds?: number
}

export interface EventPage {
  /** Oldest first. */
  readonly events: readonly WebhookPayload[]
  /** Pass it as `after` to continue from here. */
  readonly next: string
}

export interface EventCalls {
  /** Reads a page of the event feed. @throws CursorExpiredError if events after the cursor are no longer kept */
  list(options?: EventsOptions): Promise<EventPage>
  /**
   * Reads the event feed endlessly: existing events, then new ones as they happen. To continue in another process, pass
   * the `id` of the last event as `after`. If the service cannot be reached or is overloaded, it waits 1 to 30 seconds
   * at a time, or as long as the service asks, up to ten minutes. Otherwise it throws like `list`, and an AbortError
   * once the signal aborts.
   */
  follow(options?: FollowOptions): AsyncIterable<WebhookPayload>
}

const FEED: Names<FeedOptions> = { after: true, types: true, generationSource: true, signal: true }
const LIST: Names<EventsOptions> = { ...FEED, limit: true, waitSeconds: true }
const FOLLOW: Names<FollowOptions> = { ...FEED, onDisconnect: true }

/** The service may refuse to wait, and must not be asked again at once: not for other readers' sake, nor the rate limit's. */
const SHORTEST_ROUND_MS = 2000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

export function eventCalls(request: Requests): EventCalls {
  async function list(options: EventsOptions = {}): Promise<EventPage> {
    checkNames(options, LIST)
    const { after, types, generationSource, limit, waitSeconds, signal: aborted } = options
    const query = given({
      after,
      // One parameter. A host may have more types than the document.
      types: types && [types.join(',') as EventType],
      generation_source: generationSource,
      limit,
      wait: waitSeconds,
    })
    const { data, status, headers } = await request(
      (client, signal) => client.GET('/v1/integrations/events', { params: { query }, signal }),
      [['id', 'type']],
      { signal: aborted },
      (waitSeconds ?? 0) * 1000,
    )
    const next = nextOf(headers, 'after')
    if (next === null) throw notOurs(status, headers)
    return { events: data as WebhookPayload[], next }
  }

  return {
    list,
    follow(options = {}) {
      checkNames(options, FOLLOW)
      return followEvents(list, options)
    },
  }
}

async function* followEvents(list: EventCalls['list'], options: FollowOptions) {
  for await (const { events } of followPages(list, options)) yield* events
}

/** The feed page by page, endlessly: also pages without events, whose `next` is the reader's new position. */
export async function* followPages(
  list: EventCalls['list'],
  { after, onDisconnect, ...options }: FollowOptions,
): AsyncGenerator<EventPage, never, undefined> {
  let roundMs = SHORTEST_ROUND_MS
  for (let cursor = after; ; ) {
    const begun = performance.now()
    const page = await untilReached(
      () =>
        list({
          ...options,
          ...(cursor !== undefined && { after: cursor }),
          // Its position must be known before a wait that may be interrupted.
          waitSeconds: cursor === 'latest' ? 0 : LONGEST_WAIT_SECONDS,
        }),
      onDisconnect,
      options.signal,
    )
    yield page
    if (page.events.length > 0) roundMs = SHORTEST_ROUND_MS
    else if (cursor !== 'latest' || page.next === 'latest') {
      const restMs = roundMs - (performance.now() - begun)
      if (restMs > 0) await sleep(restMs, options.signal)
      // Nothing new: with each answer that comes early again, the reader asks less often.
      const isRefused = restMs > 0 && page.next === cursor
      roundMs = isRefused ? Math.min(roundMs * 2, LONGEST_WAIT_SECONDS * 1000) : SHORTEST_ROUND_MS
    }
    cursor = page.next
  }
}

/** Calls again until the service is reached. Calls `onDisconnect` after the first failure only. */
async function untilReached<T>(
  call: () => Promise<T>,
  onDisconnect: FollowOptions['onDisconnect'],
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await call()
    } catch (error) {
      if (!isTemporary(error)) throw error
      if (pauseMs === FIRST_PAUSE_MS) onDisconnect?.(error as Error)
      const askedMs = (error instanceof ApiError && error.retryAfterMs) || 0
      await sleep(Math.max(pauseMs, Math.min(askedMs, LONGEST_RETRY_AFTER_MS)), signal)
    }
  }
}
