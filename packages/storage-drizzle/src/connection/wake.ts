import type { WorkerStorage } from '@quickquote/core'
import type postgres from 'postgres'
import connectTo from '#driver'
import { wakeChannel } from './database.ts'
import { toStorageError } from './storage-error.ts'

/** Tells workers in every process that there may be work for them. */
export interface Waker extends Pick<WorkerStorage, 'listen'> {
  /** Sends a notification, at most one in 10 ms. One that is lost costs delay only: workers poll too. */
  wake(): void
  /** Ends all listening. */
  close(): Promise<void>
}

/** Each notification is a commit that takes a lock of the whole database server: few of them carry far. */
const THROTTLE_MS = 10

/** Between two tries to listen: twice as long after each, up to the longest. */
const RETRY_MS = { first: 100, longest: 2000 }

export function createWaker({ sql, schema }: { sql: postgres.Sql; schema: string }): Waker {
  const channel = wakeChannel(schema)
  const listeners = new Set<Listener>()
  let timer: NodeJS.Timeout | undefined
  let again = false

  function wake(): void {
    if (timer !== undefined) {
      again = true
      return
    }
    timer = setTimeout(() => {
      timer = undefined
      if (!again) return
      again = false
      wake()
    }, THROTTLE_MS)
    sql.notify(channel, '').catch(() => undefined)
  }

  return {
    wake,
    async listen(onWake, onLost = () => undefined) {
      const listener = createListener({ options: sql.options, channel, onWake, onLost })
      listeners.add(listener)
      return async () => {
        listeners.delete(listener)
        await listener.end()
      }
    },
    async close() {
      await Promise.all([...listeners].map((listener) => listener.end()))
    },
  }
}

interface Listener {
  end(): Promise<void>
}

/**
 * Listens on a connection of its own, again and again until it is ended: also where LISTEN was refused, as by a standby
 * that is promoted later. postgres.js repeats it only when its connection closes. What was sent meanwhile is lost, so
 * `onWake` is called each time listening begins.
 */
function createListener({
  options,
  channel,
  onWake,
  onLost,
}: {
  options: postgres.Sql['options']
  channel: string
  onWake: () => void
  onLost: (error: unknown) => void
}): Listener {
  let isOver = false
  let retryMs = RETRY_MS.first
  let timer: NodeJS.Timeout | undefined
  let current: postgres.Sql | undefined

  function begin(): void {
    let hasFailed = false
    const fail = (error: unknown) => {
      if (hasFailed || isOver) return
      hasFailed = true
      void connection.end({ timeout: 0 })
      // Once for each time that it is lost.
      if (retryMs === RETRY_MS.first) onLost(toStorageError('listen', error))
      timer = setTimeout(begin, retryMs)
      retryMs = Math.min(retryMs * 2, RETRY_MS.longest)
    }
    const connection = connectTo({
      ...options,
      max: 1,
      idle_timeout: null,
      max_lifetime: null,
      fetch_types: false,
      onnotify: () => onWake(),
      onclose: () => fail(new Error('the connection that listened was lost')),
    } as unknown as postgres.Options<Record<string, never>>)
    current = connection
    connection.unsafe(`listen "${channel}"`).then(() => {
      if (hasFailed || isOver) return
      retryMs = RETRY_MS.first
      onWake()
    }, fail)
  }

  begin()
  return {
    async end() {
      isOver = true
      clearTimeout(timer)
      await current?.end({ timeout: 0 })
    },
  }
}
