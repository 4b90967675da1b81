import type postgres from 'postgres'
import connectTo from '#driver'
import type { Hearing, Listener } from './driver.ts'

/** The wait before listening again. It doubles up to the longest. */
const RETRY_MS = { first: 100, longest: 2000 }

/** A proxy may keep a connection whose other side has gone: without a question, silence looks like nothing to do. */
export const PROBE = { everyMs: 25_000, timeoutMs: 10_000 }

const CONNECTION_LOST = Object.assign(new Error('the connection that listened was lost'), {
  code: 'CONNECTION_LOST',
})

/** Not an outage, about which others would speak: the database may answer everybody else. */
const SILENT = Object.assign(new Error('the connection that listened no longer answered'), {
  code: 'CONNECTION_SILENT',
})

/**
 * Listens on a separate connection until it is ended, and tries again even after a refused LISTEN, for example on a
 * standby that is promoted later. postgres.js only does so when its connection closes.
 *
 * Repeats LISTEN every `probe.everyMs`. PostgreSQL ignores the repetition; a connection without an answer within
 * `probe.timeoutMs` is lost.
 */
export function listen(
  options: postgres.Sql['options'],
  channel: string,
  { onHeard, onLost = () => undefined, lock }: Hearing,
  probe = PROBE,
): Listener {
  let isOver = false
  let retryMs = RETRY_MS.first
  let timer: NodeJS.Timeout | undefined
  let current: postgres.Sql | undefined

  function begin(): void {
    let hasFailed = false
    let isLocked = false
    const fail = (error: unknown) => {
      if (hasFailed || isOver) return
      hasFailed = true
      clearTimeout(timer)
      if (isLocked) lock?.onChange(false)
      isLocked = false
      void connection.end({ timeout: 0 })
      // Once per loss.
      if (retryMs === RETRY_MS.first) onLost(error)
      timer = setTimeout(begin, retryMs)
      retryMs = Math.min(retryMs * 2, RETRY_MS.longest)
    }
    const connection = connectTo({
      ...options,
      max: 1,
      idle_timeout: null,
      max_lifetime: null,
      fetch_types: false,
      onnotify: (_channel: string, payload: string) => onHeard(payload),
      onclose: () => fail(CONNECTION_LOST),
    } as unknown as postgres.Options<Record<string, never>>)
    current = connection
    // `timeout` is our own driver's.
    const waiting = { timeout: probe.timeoutMs / 1000 } as postgres.UnsafeQueryOptions
    const ask = () => connection.unsafe(`listen "${channel}"`, [], waiting)
    /** Shared, so that a new connection has it beside an old one whose end the server has not noticed yet. */
    const takeLock = async () => {
      if (lock === undefined || isLocked || !(await isOurSession(connection, waiting))) return
      await connection.unsafe('select pg_advisory_lock_shared(hashtextextended($1, 0))', [lock.name], waiting)
      if (hasFailed || isOver) return
      isLocked = true
      lock.onChange(true)
    }
    const askAgain = () => {
      if (hasFailed || isOver) return
      timer = setTimeout(() => {
        ask()
          .then(takeLock)
          .then(askAgain, (error) => fail(error.code === 'CONNECTION_UNANSWERED' ? SILENT : error))
      }, probe.everyMs)
    }
    ask()
      .then(() => {
        if (hasFailed || isOver) return
        retryMs = RETRY_MS.first
        onHeard('')
        return takeLock().then(askAgain)
      })
      .catch(fail)
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

/** A pooler invents the process ids that it reports. It would keep the lock on a connection of others. */
async function isOurSession(
  connection: postgres.Sql,
  options: postgres.UnsafeQueryOptions,
): Promise<boolean> {
  const rows = await connection.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid', [], options)
  return rows[0]?.pid === rows.state.pid
}
