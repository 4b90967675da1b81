import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import type { Sql } from 'postgres'

/** Describes the machine, without which absolute figures mean nothing. */
export async function describeMachine(sql: Sql): Promise<string> {
  const [database] = await sql<{ version: string; fsync: string; commit: string }[]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit`
  const memory = Math.round(totalmem() / 1024 ** 3)
  return [
    `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? process.arch}, ${memory} GiB`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${database?.version} (fsync ${database?.fsync}, synchronous_commit ${database?.commit})`,
    `load average before ${loadavg()[0]?.toFixed(1)}`,
  ].join(', ')
}
