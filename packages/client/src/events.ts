import type { WebhookPayload } from '@quickquote/webhook-signature'
import { nextOf } from './pages.ts'
import type { CallOptions, Requests } from './requests.ts'
import { sleep } from './waiting.ts'

export interface FollowOptions extends CallOptions {
  /** Where to continue: `next` of a page, the id of an event, or `latest`. Default: the oldest event kept. */
  readonly after?: string
  /** Only these event types. Default: all. */
  readonly types?: readonly string[]
  /** Only events of quotes started through the API (default), in the web app, or either. */
  readonly generationSource?: 'api_key' | 'ui' | 'all'
}

export interface EventsOptions extends FollowOptions {
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
   * the `id` of the last event as `after`. Throws like `list`, and an AbortError once the signal aborts.
   */
  follow(options?: FollowOptions): AsyncIterable<WebhookPayload>
}

const LONGEST_WAIT_SECONDS = 20
/** The service may refuse to wait, and must not be asked again at once. */
const SHORTEST_ROUND_MS = 2000

export function eventCalls(request: Requests): EventCalls {
  async function list({
    after,
    types,
    generationSource,
    limit,
    waitSeconds,
    signal: aborted,
  }: EventsOptions = {}): Promise<EventPage> {
    const query = {
      ...(after !== undefined && { after }),
      ...(types !== undefined && { types: types.join(',') }),
      ...(generationSource !== undefined && { generation_source: generationSource }),
      ...(limit !== undefined && { limit }),
      ...(waitSeconds !== undefined && { wait: waitSeconds }),
    }
    const { data, headers } = await request(
      (client, signal) => client.GET('/v1/integrations/events', { params: { query }, signal }),
      { signal: aborted },
      (waitSeconds ?? 0) * 1000,
    )
    return { events: data as WebhookPayload[], next: nextOf(headers, 'after') ?? after ?? 'latest' }
  }

  return {
    list,
    async *follow({ after, ...options } = {}) {
      for (let cursor = after; ; ) {
        const begun = Date.now()
        const { events, next } = await list({
          ...options,
          ...(cursor !== undefined && { after: cursor }),
          waitSeconds: LONGEST_WAIT_SECONDS,
        })
        yield* events
        const isIdle = events.length === 0 && next === cursor
        const restMs = isIdle ? SHORTEST_ROUND_MS - (Date.now() - begun) : 0
        if (restMs > 0) await sleep(restMs, options.signal)
        cursor = next
      }
    },
  }
}
