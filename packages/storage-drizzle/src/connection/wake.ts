import type { Storage } from '@quickquote/core/internal'
import { NOTIFY, wakeChannel } from './database.ts'
import type { Driver, Listener } from './driver.ts'
import { toStorageError } from './storage-error.ts'

/** Notifies workers in every process of new work. */
export interface Waker extends Pick<Storage['workers'], 'listen'> {
  /** Sends a notification, at most one per 10 ms. A lost one only costs a delay: workers poll, too. */
  wake(): void
  /** Stops all listening. */
  close(): Promise<void>
}

/** Each notification is a commit under a lock of the whole database server, and a few are enough. */
const THROTTLE_MS = 10

export function createWaker(driver: Pick<Driver, 'values' | 'listen'>, schema: string): Waker {
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
    driver.values(NOTIFY, [channel]).catch(() => undefined)
  }

  return {
    wake,
    async listen(onWake, onLost = () => undefined) {
      const listener = driver.listen(channel, onWake, (error) => onLost(toStorageError('listen', error)))
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
