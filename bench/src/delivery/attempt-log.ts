import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import type { Attempt } from './post.ts'

/** Records attempts for the other queues on PostgreSQL: less than ours, with only the indispensable index. */
export interface AttemptLog {
  record(attempts: readonly Attempt[]): Promise<void>
  /** Records it in a batch. Resolves when it is committed. */
  recordSoon(attempt: Attempt): Promise<void>
}

const FULL_BATCH = 200
const BATCH_MS = 4

export async function openAttemptLog(
  databaseUrl: string,
  { connections }: { connections: number },
): Promise<AttemptLog> {
  const sql = postgres(databaseUrl, { max: connections, onnotice() {} })
  await sql`
    create table if not exists attempts (
      id uuid primary key, event_id text not null, status text not null, http_status smallint, duration_ms int,
      created_at timestamptz not null default now()
    )`
  let batch: { attempt: Attempt; resolve: () => void; reject: (error: unknown) => void }[] = []
  let timer: NodeJS.Timeout | undefined

  async function record(attempts: readonly Attempt[]): Promise<void> {
    await sql`
      insert into attempts (id, event_id, status, http_status, duration_ms)
      select id, event_id, 'succeeded', http_status, duration_ms
      from unnest(${attempts.map(() => randomUUID())}::uuid[], ${attempts.map(({ eventId }) => eventId)}::text[],
        ${attempts.map(({ statusCode }) => statusCode)}::smallint[], ${attempts.map(({ durationMs }) => durationMs)}::int[])
        as attempt (id, event_id, http_status, duration_ms)`
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const flushed = batch
    batch = []
    record(flushed.map(({ attempt }) => attempt)).then(
      () => {
        for (const { resolve } of flushed) resolve()
      },
      (error: unknown) => {
        for (const { reject } of flushed) reject(error)
      },
    )
  }

  return {
    record,
    recordSoon: (attempt) =>
      new Promise((resolve, reject) => {
        batch.push({ attempt, resolve, reject })
        if (batch.length >= FULL_BATCH) flush()
        else timer ??= setTimeout(flush, BATCH_MS)
      }),
  }
}
