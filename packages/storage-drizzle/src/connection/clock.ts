import type { ClockStorage } from '@quickquote/core/internal'
import type { Database } from './database.ts'

/** The time of the database as a number: a text would depend on settings of the server. An SQL expression. */
export const EPOCH_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8'

/** See ClockStorage. */
export function clockStorage({ run }: Database): ClockStorage {
  return {
    async read() {
      const [row] = await run<{ at: number | string }>(`select ${EPOCH_MS} as at`)
      return toTime(row?.at)
    },
  }
}

/** Some drivers of hosts give numbers as strings. */
export function toTime(epochMs: number | string | undefined): Date {
  const time = new Date(Number(epochMs))
  if (Number.isNaN(time.getTime())) throw new Error('The database did not tell its time.')
  return time
}
