import type { WorkerStorage } from '@quickquote/core'
import type postgres from 'postgres'
import { wakeChannel } from './database.ts'

/** Tells workers in every process that there may be work for them. */
export interface Waker extends Pick<WorkerStorage, 'listen'> {
  /** Sends a notification, at most one in 10 ms. One that is lost costs delay only: workers poll too. */
  wake(): void
}

/** Each notification is a commit that takes a lock of the whole database server: few of them carry far. */
const THROTTLE_MS = 10

export function createWaker({ sql, schema }: { sql: postgres.Sql; schema: string }): Waker {
  const channel = wakeChannel(schema)
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
    async listen(onWake) {
      // postgres.js connects again when the connection breaks; what was sent meanwhile is lost, so each time may be late.
      const { unlisten } = await sql.listen(channel, onWake, onWake)
      return async () => {
        await unlisten()
      }
    },
  }
}
