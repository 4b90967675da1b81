import type { ClockStorage } from '@quickquote/core/internal'
import { READ_CLOCK } from './clock.sql.ts'
import type { Database } from './database.ts'

/** See ClockStorage. */
export function clockStorage({ run }: Database): ClockStorage {
  return {
    async read() {
      const [row] = await run(READ_CLOCK)
      return toTime(row?.at)
    },
  }
}

export function toTime(epochMs: number | string | undefined): Date {
  const time = new Date(Number(epochMs))
  if (Number.isNaN(time.getTime())) throw new Error('The database did not return its time.')
  return time
}
