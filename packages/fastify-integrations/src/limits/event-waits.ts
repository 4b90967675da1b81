import type { Limits } from '@quickquote/core'
import type { EventFeedStorage } from '@quickquote/core/internal'

/** The interval of the one look-up for all waiting requests. */
const LOOK_EVERY_MS = 500

/** The requests of a process that wait for events. They hold no database connection. */
export interface EventWaits {
  /** Begins a wait; null if there are too many, or the server is closing. Call `end` afterwards. */
  enter(apiKeyId: string): EventWait | null
  /** Ends all waits when the server closes. */
  close(): void
  readonly isClosed: boolean
}

interface EventWait {
  /** Resolves when there may be events after the position, the time is over, or the wait has ended. */
  forNews(organizationId: string, position: number, ms: number): Promise<void>
  /** Ends the wait, for example when the client has gone. */
  end(): void
  leave(): void
}

interface Reader {
  readonly organizationId: string
  readonly position: number
  readonly wake: () => void
}

export function createEventWaits(
  feed: Pick<EventFeedStorage, 'findReadersWithNews'>,
  { eventWaits, eventWaitsPerApiKey }: Pick<Limits, 'eventWaits' | 'eventWaitsPerApiKey'>,
): EventWaits {
  const places = new Map<string, number>()
  const readers = new Set<Reader>()
  let taken = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let isLooking = false

  async function look(): Promise<void> {
    timer = undefined
    isLooking = true
    const asked = [...readers]
    try {
      const news = await feed.findReadersWithNews(asked)
      for (const index of news) asked[index]?.wake()
    } catch {
      // Waiting requests are answered when their time is over: the database may be back by then.
    }
    isLooking = false
    schedule()
  }

  function schedule(): void {
    if (timer === undefined && !isLooking && readers.size > 0) timer = setTimeout(look, LOOK_EVERY_MS)
  }

  function wait(organizationId: string, position: number, ms: number, onWaiting: (wake: () => void) => void) {
    return new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timeout)
        readers.delete(reader)
        resolve()
      }
      const reader = { organizationId, position, wake }
      const timeout = setTimeout(wake, ms)
      readers.add(reader)
      onWaiting(wake)
      schedule()
    })
  }

  return {
    enter(apiKeyId) {
      const ofKey = places.get(apiKeyId) ?? 0
      if (isClosed || taken >= eventWaits || ofKey >= eventWaitsPerApiKey) return null
      taken += 1
      places.set(apiKeyId, ofKey + 1)
      let isOver = false
      let wake = () => {}
      return {
        async forNews(organizationId, position, ms) {
          if (isOver || isClosed) return
          await wait(organizationId, position, ms, (given) => {
            wake = given
          })
        },
        end() {
          isOver = true
          wake()
        },
        leave() {
          taken -= 1
          const left = (places.get(apiKeyId) ?? 1) - 1
          if (left === 0) places.delete(apiKeyId)
          else places.set(apiKeyId, left)
        },
      }
    },
    get isClosed() {
      return isClosed
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const { wake } of [...readers]) wake()
    },
  }
}
