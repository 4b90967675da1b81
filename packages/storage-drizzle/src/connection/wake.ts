import type { Places, Storage, Work, WorkListener } from '@quickquote/core/internal'
import type { Driver, Listener } from './driver.ts'
import { toStorageError } from './storage-error.ts'

/**
 * Wakes workers for new work: those of this storage directly, those of other processes by a notification, at most one per
 * 10 ms. A lost one only costs a delay: workers poll, too.
 */
export interface Waker extends Pick<Storage['workers'], 'listen' | 'share'> {
  /** Call it after the commit. */
  wake(work: Work): void
  announce: Announce
  offer: Offer
  /** Stops all listening. */
  close(): Promise<void>
}

/**
 * For a statement that commits work: it sends the notification itself, which saves a commit.
 * @returns the channel to notify, null for none, and what to call after the commit
 */
export type Announce = (work: Work) => { readonly channel: string | null; made(): Promise<void> }

/** Places of a worker of this storage for deliveries of an event that is about to be recorded. */
export type Offer = (organizationId: string) => Places | undefined

/** The channel for notifications of new work. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** Within a transaction, PostgreSQL sends it on commit, and never after a rollback. */
export const NOTIFY = 'select pg_notify($1::text, $2::text)::text'

/** Each notification is a commit under a lock of the whole database server, and a few are enough. */
const THROTTLE_MS = 10

export function createWaker(driver: Pick<Driver, 'values' | 'listen'>, schema: string): Waker {
  const channel = wakeChannel(schema)
  const listening = new Map<WorkListener, Listener>()
  let timer: NodeJS.Timeout | undefined
  /** Work of which other processes are notified when the timer ends. */
  let later: Work | undefined

  function wake(work: Work): void {
    const taker = takerOf(work)
    if (taker !== undefined) {
      taker.onWake(work)
      return
    }
    for (const { onWake } of listening.keys()) onWake(work)
    notify(work)
  }

  function takerOf(work: Work): WorkListener | undefined {
    return work === 'anything' ? undefined : [...listening.keys()].find(({ takes }) => takes?.(work))
  }

  function notify(work: Work): void {
    if (timer !== undefined) {
      later = later === undefined || later === work ? work : 'anything'
      return
    }
    throttle()
    driver.values(NOTIFY, [channel, work], []).catch(() => undefined)
  }

  function throttle(): void {
    timer ??= setTimeout(() => {
      const work = later
      timer = later = undefined
      if (work !== undefined) notify(work)
    }, THROTTLE_MS)
  }

  return {
    wake,
    async share(work) {
      notify(work)
    },
    announce(work) {
      if (timer !== undefined || takerOf(work) !== undefined) {
        return { channel: null, made: async () => wake(work) }
      }
      return {
        channel,
        async made() {
          throttle()
          for (const { onWake } of listening.keys()) onWake(work)
        },
      }
    },
    offer(organizationId) {
      for (const { offer } of listening.keys()) {
        const places = offer?.(organizationId)
        if (places !== undefined) return places
      }
      return undefined
    },
    async listen(given) {
      const { onWake, onLost, session } = given
      const listener = driver.listen(channel, {
        onHeard: (payload) => onWake(workOf(payload)),
        onLost: (error) => onLost?.(toStorageError('listen', error)),
        ...(session && {
          lock: { name: `"${schema}" worker ${session.workerId}`, onChange: session.onChange },
        }),
      })
      listening.set(given, listener)
      return async () => {
        listening.delete(given)
        await listener.end()
      }
    },
    async close() {
      await Promise.all([...listening.values()].map((listener) => listener.end()))
    },
  }
}

/** Processes of other versions may send something else. */
function workOf(payload: string): Work {
  return payload === 'deliveries' || payload === 'starts' ? payload : 'anything'
}
