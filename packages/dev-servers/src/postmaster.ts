import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendSignal } from './send-signal.ts'
import type { ServerUser } from './unprivileged-user.ts'

/** A cluster on disk, and how to run it. */
export interface Cluster {
  /** PostgreSQL's data directory. */
  readonly folder: string
  readonly passwordFile: string
  readonly logFile: string
  readonly programs: { readonly initdb: string; readonly postgres: string }
  readonly user: ServerUser
  /** False: fsync is off. Data survives the death of any process, but not a power cut. */
  readonly durable: boolean
  /** The major version. */
  readonly version: number
  readonly settings: Readonly<Record<string, string>>
}

export const SUPERUSER = 'postgres'

const POLL_MS = 10
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 30_000
/** Part of the server's command line, where the next start reads who launched it. */
const OWNER_SETTING = 'quickquote.owner'

/** For one run: it need not survive a power cut, and needs few checkpoints. */
const NOT_DURABLE = {
  fsync: 'off',
  full_page_writes: 'off',
  checkpoint_timeout: '1h',
} as const

/** Creates the cluster if there is none, atomically. */
export async function initCluster(cluster: Cluster): Promise<void> {
  const unfinished = `${cluster.folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  const initdb = spawn(
    cluster.programs.initdb,
    [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${cluster.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      // Older versions would need a locale of the system, which may be missing.
      ...(cluster.version >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
      // The password has 192 random bits: more rounds of hashing would only cost each connection a millisecond.
      ...(cluster.version >= 16 ? ['--set=scram_iterations=1'] : []),
      ...(cluster.durable ? [] : ['--no-sync']),
    ],
    {
      ...cluster.user,
      cwd: '/',
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  initdb.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  initdb.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code, signal] = await once(initdb, 'close')
  if (code !== 0) throw new Error(`initdb failed (${signal ?? `exit code ${code}`}):\n${output}`)
  await rename(unfinished, cluster.folder)
}

export type LaunchResult =
  | { readonly state: 'ready'; readonly process: ChildProcess }
  | { readonly state: 'failed'; readonly log: string }

/**
 * Launches the server and waits until it accepts connections. It listens only on 127.0.0.1, in its own process group:
 * Ctrl-C in the terminal reaches the program, which stops the server when it is done.
 */
export async function launch(cluster: Cluster, port: number): Promise<LaunchResult> {
  // The previous log may belong to root.
  await rm(cluster.logFile, { force: true })
  const log = await open(cluster.logFile, 'wx', 0o600)
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(cluster.durable ? {} : NOT_DURABLE),
    ...cluster.settings,
    [OWNER_SETTING]: process.pid,
  }
  const server = spawn(
    cluster.programs.postgres,
    [
      '-D',
      cluster.folder,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...cluster.user,
      cwd: '/',
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  )
  // An event, not a promise: the program cannot be run (ENOENT, EACCES).
  let broken: Error | undefined
  server.once('error', (error) => {
    broken = error
  })
  server.unref()
  await log.close()

  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    if (broken !== undefined) throw broken
    if (hasExited(server)) return { state: 'failed', log: await readFile(cluster.logFile, 'utf8') }
    const file = readPidFile(cluster)
    if (file?.pid === server.pid && file?.ready) return { state: 'ready', process: server }
    await sleep(POLL_MS)
  }
  server.kill('SIGKILL')
  throw new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s. Its log: ${cluster.logFile}`)
}

/** SIGINT is the fast shutdown, SIGQUIT the immediate one (recovery at the next start), SIGKILL a crash. */
export async function stopServer(
  server: ChildProcess,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
): Promise<void> {
  if (hasExited(server)) return
  server.ref()
  const exited = once(server, 'exit')
  const forced = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS)
  server.kill(signal)
  await exited
  clearTimeout(forced)
}

/**
 * Cleans up after a killed program: stops a server that still runs on the cluster, and removes a stale pid file.
 *
 * @throws Error if the program that launched the running server is still alive.
 */
export async function clearLeftovers(cluster: Cluster): Promise<void> {
  const file = readPidFile(cluster)
  if (file === undefined) return
  const command = commandLine(file.pid)
  if (!command.includes(cluster.folder)) {
    await rm(pidFilePath(cluster), { force: true })
    return
  }
  const owner = new RegExp(`${OWNER_SETTING}=(\\d+)`).exec(command)?.[1]
  if (owner !== undefined && commandLine(Number(owner)) !== '') {
    throw new Error(`The database in ${cluster.folder} is in use by process ${owner}. Stop it first.`)
  }
  sendSignal('SIGINT', file.pid)
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (commandLine(file.pid) !== '') {
    if (performance.now() > deadline) {
      throw new Error(`An earlier PostgreSQL (process ${file.pid}) does not stop. End it, then try again.`)
    }
    await sleep(POLL_MS)
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function pidFilePath(cluster: Cluster): string {
  return `${cluster.folder}/postmaster.pid`
}

/** Lines of the file: 1 the pid, 8 the state (PostgreSQL, `miscadmin.h`, LOCK_FILE_LINE_*). */
function readPidFile(cluster: Cluster): { pid: number; ready: boolean } | undefined {
  let content: string
  try {
    content = readFileSync(pidFilePath(cluster), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const lines = content.split('\n')
  return { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' }
}

/** The command line of a process; empty if it does not exist or is a zombie. */
function commandLine(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      return ''
    }
  }
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Removes our caller's libpq and server variables (PGDATA, PGPORT …). */
function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
  return { ...Object.fromEntries(inherited), LC_ALL: 'C' }
}
