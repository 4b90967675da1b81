import { type Column, statement } from './statement.ts'

/** The database's time as a number: text would depend on settings of the server. An SQL expression. */
export const EPOCH_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8'

/** Some drivers of hosts return numbers as strings. */
export const epochMs: Column<number | string> = { type: 'float8' }

export const READ_CLOCK = statement({ at: epochMs }, () => `select ${EPOCH_MS} as at`)
