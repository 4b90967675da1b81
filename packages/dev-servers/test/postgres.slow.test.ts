import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  POSTGRES_VERSIONS,
  scratchFolder,
  startPostgres,
  testDatabase,
  usePostgres,
} from '@quickquote/dev-servers'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const PROGRAM = fileURLToPath(new URL('programs/hold-postgres.js', import.meta.url))
const nobodyReachesTheCheckout =
  isRoot && spawnSync(process.execPath, ['--check', PROGRAM], { uid: NOBODY, gid: NOBODY }).status === 0

let dataDir: string
const cleanups: (() => Promise<unknown> | unknown)[] = []

/** A new cluster that has been stopped: copied, because creating one takes long. */
let created: string

beforeAll(async () => {
  created = await newFolder()
  const server = await startPostgres({ dataDir: created })
  await server.stop()
})

afterAll(() => rm(created, { recursive: true, force: true }))

const newFolder = () => mkdtemp(join(scratchFolder(), 'quickquote-postgres-test-'))

beforeEach(async () => {
  dataDir = await newFolder()
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }))
})

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(options: Partial<Parameters<typeof startPostgres>[0]> = {}) {
  const server = await startPostgres({ dataDir, ...options })
  cleanups.push(() => server.stop())
  return server
}

/** Starts a server on a copy of the cluster. */
async function startCopy(options: { persistent?: boolean } = {}) {
  copyCluster()
  return start(options)
}

/** With its owner, so not with `node:fs`. */
function copyCluster(): void {
  expect(spawnSync('cp', ['-a', `${created}/.`, dataDir]).status).toBe(0)
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 5 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end()
  }
}

/** Runs `programs/hold-postgres.js` in its own process group. */
async function holdPostgres(options: { ending?: string; uid?: number } = {}) {
  const { ending = '', uid } = options
  const child = spawn(process.execPath, [PROGRAM, dataDir, ending], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  cleanups.push(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return { child, nextLine: async () => JSON.parse((await lines.next()).value ?? '{}') }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])
}

function canConnect(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('startPostgres', () => {
  it('reuses the data of an earlier start on the same folder, on any port', async () => {
    const first = await start()
    await query(first.url, "CREATE TABLE kept AS SELECT 'hello' AS line")
    await first.stop()
    await first.stop()
    expect(await canConnect(first.port)).toBe(false)

    const lines: string[] = []
    const second = await start({ onProgress: (line) => lines.push(line) })
    expect(await query(second.url, 'SELECT line FROM kept')).toEqual([{ line: 'hello' }])
    expect(lines).toEqual(['Starting PostgreSQL …'])
  })

  it('creates a new cluster if an earlier attempt died halfway', async () => {
    await mkdir(join(dataDir, 'cluster.new'), { recursive: true })
    writeFileSync(join(dataDir, 'cluster.new', 'PG_VERSION'), '18\n')
    const server = await start()
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('listens only on 127.0.0.1, with a password that only its owner can read', async () => {
    const server = await start()
    expect(await canConnect(server.port)).toBe(true)
    expect(await canConnect(server.port, '127.0.0.2')).toBe(false)
    expect(await query(server.url, 'SHOW unix_socket_directories')).toEqual([{ unix_socket_directories: '' }])

    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600)
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/)
  })

  it('uses the given port', async () => {
    const server = await startCopy()
    const { port } = server
    await server.stop()
    expect((await start({ port })).url).toContain(`:${port}/`)
  })

  it('refuses a folder that a running program uses', async () => {
    const server = await startCopy()
    await expect(startPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`)
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('removes the folder of a run that is not persistent', async () => {
    const server = await startCopy({ persistent: false })
    await server.stop()
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each(['fast', 'immediate', 'kill'] as const)('keeps committed data over a restart: %s', async (mode) => {
    const server = await startCopy()
    await query(server.url, "CREATE TABLE kept AS SELECT 'hello' AS line")
    let reachableWhileDown: boolean | undefined
    await server.restart({
      mode,
      whileDown: async () => {
        reachableWhileDown = await canConnect(server.port)
      },
    })
    expect(reachableWhileDown).toBe(false)
    expect(await query(server.url, 'SELECT line FROM kept')).toEqual([{ line: 'hello' }])
  })

  it.each([
    { persistent: true, fsync: 'on' },
    { persistent: false, fsync: 'off' },
  ])('persistent: $persistent runs with fsync $fsync', async ({ persistent, fsync }) => {
    const server = await startCopy({ persistent })
    expect(await query(server.url, 'SHOW fsync')).toEqual([{ fsync }])
    expect(await query(server.url, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
  })

  it('reports why the server does not start', async () => {
    const server = await startCopy()
    await server.stop()
    writeFileSync(join(dataDir, 'cluster', 'postgresql.conf'), 'no_such_setting = 1\n')
    await expect(startPostgres({ dataDir })).rejects.toThrow(/did not start:[\s\S]*no_such_setting/)
  })
})

describe('a program that ends without stop()', () => {
  beforeEach(copyCluster)

  it('killed, with its server still running: the next start stops that server and finds the data', async () => {
    const { child, nextLine } = await holdPostgres()
    const { port } = await nextLine()
    child.kill('SIGKILL')
    await exitOf(child)
    expect(await canConnect(port)).toBe(true)

    const server = await start()
    expect(await query(server.url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 1 }])
    expect(await canConnect(port)).toBe(false)
  })

  it('killed together with its server: the stale pid file does not prevent a start', async () => {
    const { child, nextLine } = await holdPostgres()
    await nextLine()
    process.kill(postmasterPid(), 'SIGKILL')
    child.kill('SIGKILL')
    await exitOf(child)
    expect(existsSync(join(dataDir, 'cluster', 'postmaster.pid'))).toBe(true)

    const server = await start()
    expect(await query(server.url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 1 }])
  })

  it('a pid file whose number now belongs to another process does not prevent a start', async () => {
    const first = await start()
    await first.stop()
    // A process of the server's user: PostgreSQL itself ignores pids of other users.
    const { uid, gid } = statSync(join(dataDir, 'cluster'))
    const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
    cleanups.push(() => other.kill())
    const file = join(dataDir, 'cluster', 'postmaster.pid')
    writeFileSync(file, `${other.pid}\n${join(dataDir, 'cluster')}\n`)
    chownSync(file, uid, gid)
    const second = await start()
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('Ctrl-C: the signal to the whole process group leaves the server running until the program stops it', async () => {
    const { child, nextLine } = await holdPostgres()
    const { port } = await nextLine()
    process.kill(-(child.pid ?? 0), 'SIGINT')
    expect(await nextLine()).toEqual({ countAfterSignal: 1 })
    expect(await exitOf(child)).toBe(0)
    expect(await canConnect(port)).toBe(false)
  })

  it('process.exit() stops the server', async () => {
    const { child } = await holdPostgres({ ending: 'exit' })
    expect(await exitOf(child)).toBe(0)
    await until(() => !existsSync(join(dataDir, 'cluster', 'postmaster.pid')))
  })
})

describe.runIf(isRoot)('as root', () => {
  it('runs the server as another user', async () => {
    await start()
    expect(statSync(join(dataDir, 'cluster')).uid).not.toBe(0)
  })

  it('moves the data to a folder that user can reach, says so, and finds them again', async () => {
    // mkdtemp sets mode 700, like /root.
    const closed = mkdtempSync(join(tmpdir(), 'quickquote-closed-'))
    cleanups.push(() => rm(closed, { recursive: true, force: true }))
    const lines: string[] = []
    const onProgress = (line: string) => lines.push(line)

    const first = await start({ dataDir: join(closed, 'data'), onProgress })
    cleanups.push(() => rmSync(first.dataDir, { recursive: true, force: true }))
    expect(lines[0]).toContain(`the data is in ${first.dataDir}`)
    await query(first.url, "CREATE TABLE kept AS SELECT 'hello' AS line")
    await first.stop()

    const second = await start({ dataDir: join(closed, 'data') })
    expect(second.dataDir).toBe(first.dataDir)
    expect(await query(second.url, 'SELECT line FROM kept')).toEqual([{ line: 'hello' }])
  })

  it.runIf(nobodyReachesTheCheckout)(
    'works on the folder of a normal user, who can still use it',
    async () => {
      chownSync(dataDir, NOBODY, NOBODY)
      const before = await holdPostgres({ uid: NOBODY })
      await before.nextLine()
      process.kill(before.child.pid ?? 0, 'SIGINT')
      await before.nextLine()
      expect(await exitOf(before.child)).toBe(0)

      const server = await start()
      expect(await query(server.url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 1 }])
      await server.stop()

      const after = await holdPostgres({ uid: NOBODY })
      await after.nextLine()
      process.kill(after.child.pid ?? 0, 'SIGINT')
      expect(await after.nextLine()).toEqual({ countAfterSignal: 2 })
      expect(await exitOf(after.child)).toBe(0)
    },
  )
})

describe('databases', () => {
  it('are created once, with a random or given name', async () => {
    const server = await startCopy()
    const [a, b] = [await server.createDatabase(), await server.createDatabase()]
    expect(a).not.toBe(b)

    const named = await server.createDatabase('app')
    await query(named, "CREATE TABLE kept AS SELECT 'hello' AS line")
    expect(await server.createDatabase('app')).toBe(named)
    expect(await query(named, 'SELECT line FROM kept')).toEqual([{ line: 'hello' }])
  })

  it('can be copies of a template', async () => {
    const server = await startCopy()
    await query(await server.createDatabase('model'), "CREATE TABLE kept AS SELECT 'hello' AS line")
    const copy = await server.createDatabase(undefined, { template: 'model' })
    expect(await query(copy, 'SELECT line FROM kept')).toEqual([{ line: 'hello' }])
  })

  it('testDatabase creates an empty one, and drops it despite open connections', async () => {
    const database = await testDatabase(inject('postgresUrl'))
    const name = new URL(database.url).pathname.slice(1)
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
    await sql`SELECT 1`
    await database.drop()
    const left = await query(inject('postgresUrl'), `SELECT FROM pg_database WHERE datname = '${name}'`)
    expect(left).toHaveLength(0)
    await sql.end()
  })
})

describe('usePostgres', () => {
  it('with DATABASE_URL uses that server, and on stop drops only its own databases', async () => {
    const DATABASE_URL = inject('postgresUrl')
    const mine = await testDatabase(DATABASE_URL)
    cleanups.push(() => mine.drop())
    const mineName = new URL(mine.url).pathname.slice(1)

    const server = await usePostgres({ dataDir, env: { DATABASE_URL } })
    expect(server.url).toBe(DATABASE_URL)
    const scratch = await server.createDatabase()
    expect(await query(scratch, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await server.createDatabase(mineName)).toBe(mine.url)
    await server.stop()
    await server.stop()

    await expect(query(scratch, 'SELECT 1')).rejects.toThrow(/does not exist/)
    expect(await query(mine.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(existsSync(join(dataDir, 'cluster'))).toBe(false)
  })

  it('without DATABASE_URL starts an embedded server', async () => {
    const server = await usePostgres({ dataDir, env: { DATABASE_URL: '' } })
    cleanups.push(() => server.stop())
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(existsSync(join(dataDir, 'cluster'))).toBe(true)
  })
})

describe('versions', () => {
  /** `pnpm test:postgres` installs the others. */
  it('the requested one is started', async () => {
    const asked = Number(process.env['POSTGRES_VERSION'] ?? 18)
    const version = POSTGRES_VERSIONS.find((known) => known === asked) ?? 18
    const server = await start({ version, persistent: false })
    const [row] = await query(server.url, 'SHOW server_version')
    expect(String(row?.['server_version'])).toMatch(new RegExp(`^${version}\\.`))
  })
})
