import type { WorkerStorage } from '@quickquote/core/internal'
import { NOTIFY, wakeChannel } from './database.ts'
import type { Driver, Listener } from './driver.ts'
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

export function createWaker(driver: Pick<Driver, 'rows' | 'listen'>, schema: string): Waker {
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
    driver.rows(NOTIFY, [channel]).catch(() => undefined)
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
