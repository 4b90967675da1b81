import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type EmbeddedPostgres, startPostgres } from './embedded-postgres.ts'
import { sendSignal } from './send-signal.ts'

/** A primary and a hot standby. */
export interface ReplicatedPostgres {
  /** Both in one connection string, primary first. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  readonly primary: EmbeddedPostgres
  readonly standby: EmbeddedPostgres
  /** From now on the primary sends nothing to its standby. */
  stopSending(): Promise<void>
  /** Ends the primary like a crash. */
  killPrimary(): void
  /** Promotes the standby. */
  promote(): Promise<void>
  stop(): Promise<void>
}

export interface ReplicationOptions {
  /** By default a commit waits until it is on both. */
  readonly isSynchronous?: boolean
}

/**
 * @param folder for both clusters only
 */
export async function startReplicatedPostgres(
  folder: string,
  { isSynchronous = true }: ReplicationOptions = {},
): Promise<ReplicatedPostgres> {
  // The server user must reach it.
  chmodSync(folder, 0o755)
  const folders = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
  // A copy of a stopped cluster is a base backup.
  const first = await startPostgres({ dataDir: folders.primary })
  await first.stop()
  execFileSync('cp', ['-a', folders.primary, folders.standby])

  const primary = await startPostgres({ dataDir: folders.primary })
  const cluster = join(folders.standby, 'cluster')
  const password = readFileSync(join(folders.standby, 'password'), 'utf8').trim()
  const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=standby`
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  writeFileSync(join(cluster, 'standby.signal'), '')
  const { uid, gid } = statSync(cluster)
  chownSync(join(cluster, 'standby.signal'), uid, gid)
  const standby = await startPostgres({ dataDir: folders.standby })
  if (isSynchronous) {
    await run(primary.url, "alter system set synchronous_standby_names = 'standby'")
    await run(primary.url, 'select pg_reload_conf()')
  }
  await streamingTo(primary.url, isSynchronous ? 'sync' : 'async')

  const { host } = new URL(primary.url)
  let stoppedSender: number | undefined
  return {
    primary,
    standby,
    url: primary.url.replace(host, `${host},127.0.0.1:${standby.port}`),
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    async stopSending() {
      stoppedSender = await streamingTo(primary.url, isSynchronous ? 'sync' : 'async')
      sendSignal('SIGSTOP', stoppedSender)
    },
    killPrimary() {
      const [pid] = readFileSync(join(folders.primary, 'cluster/postmaster.pid'), 'utf8').split('\n')
      sendSignal('SIGKILL', Number(pid))
      // A stopped process does not notice.
      if (stoppedSender !== undefined) sendSignal('SIGKILL', stoppedSender)
    },
    async promote() {
      await run(standby.url, 'select pg_promote()')
    },
    async stop() {
      await standby.stop()
      await primary.stop()
    },
  }
}

/** Waits for the standby. @returns the primary's process that sends to it */
async function streamingTo(url: string, state: 'sync' | 'async'): Promise<number> {
  for (;;) {
    const [row] = await run(
      url,
      `select pid from pg_stat_replication where state = 'streaming' and sync_state = '${state}'`,
    )
    if (row !== undefined) return Number(row['pid'])
    await sleep(50)
  }
}

async function run(url: string, statement: string): Promise<readonly postgres.Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
