import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { startPostgres } from './embedded-postgres.ts'

/** A primary and a synchronous hot standby: commits are on both. */
export interface ReplicatedPostgres {
  /** Both in one connection string, primary first. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Ends the primary like a crash. */
  killPrimary(): void
  /** Promotes the standby. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param folder for both clusters only
 */
export async function startReplicatedPostgres(folder: string): Promise<ReplicatedPostgres> {
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
  await run(primary.url, "alter system set synchronous_standby_names = 'standby'")
  await run(primary.url, 'select pg_reload_conf()')
  while (!(await isSynchronous(primary.url))) await sleep(50)

  const { host } = new URL(primary.url)
  return {
    url: primary.url.replace(host, `${host},127.0.0.1:${standby.port}`),
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    killPrimary() {
      const [pid] = readFileSync(join(folders.primary, 'cluster/postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
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

async function isSynchronous(url: string): Promise<boolean> {
  const rows = await run(url, `select from pg_stat_replication where sync_state = 'sync'`)
  return rows.length > 0
}

async function run(url: string, statement: string): Promise<readonly unknown[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
