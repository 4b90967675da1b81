import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Receiver, type ReceiverOptions, startDatabaseProxy } from '@quickquote/dev-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'
import { runCli, type WorkerProcess } from './support/worker-process.ts'

const folder = await mkdtemp(join(tmpdir(), 'quickquote-cli-'))
const caFile = join(folder, 'ca.pem')

/** Programs start slowly on a busy machine. */
const PATIENT = { timeout: 60_000 }

let host: Host
let receiver: Receiver

beforeAll(() => writeFile(caFile, certificate.cert))
afterAll(() => rm(folder, { recursive: true }))

/** The exit of a process that ends by itself. */
async function ended(args: readonly string[], env: Record<string, string> = {}) {
  const program = runCli(args, env)
  const code = await program.exited
  return { code, output: program.lines.join('\n') }
}

describe('quickquote-worker', () => {
  it('--help prints the usage, --version the version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

    expect(await ended(['--help'])).toEqual({
      code: 0,
      output: expect.stringContaining('Usage: quickquote-worker'),
    })
    expect(await ended(['--version'])).toEqual({ code: 0, output: version })
  })

  it('names every invalid variable, the error and the allowed values, but never the value', async () => {
    const { code, output } = await ended(['cli-host.js'], {
      QUICKQUOTE_CONCURRENCY: 'sesame',
      QUICKQUOTE_POLL_INTERVAL_MS: '1.5',
      QUICKQUOTE_HEARTBEAT_MS: '0x1f4',
      QUICKQUOTE_HEALTH_PORT: '70000',
      QUICKQUOTE_PIPELINE_STARTS: 'sesame',
      QUICKQUOTE_CA_FILE: join(folder, 'sesame'),
    })

    expect(code).toBe(2)
    expect(output.split('\n')).toEqual([
      'quickquote-worker: QUICKQUOTE_CONCURRENCY must be a whole number, from 1 to 10000.',
      'QUICKQUOTE_POLL_INTERVAL_MS must be a whole number, from 1 to 2147483647.',
      'QUICKQUOTE_HEARTBEAT_MS must be a whole number, from 1 to 2147483647.',
      'QUICKQUOTE_PIPELINE_STARTS must be on or off.',
      'QUICKQUOTE_CA_FILE must name a file of PEM certificates. This one cannot be read (ENOENT).',
      'QUICKQUOTE_HEALTH_PORT must be a whole number, from 0 to 65535.',
    ])
  })

  it.each<[string, Record<string, string>]>([
    ['a default', { QUICKQUOTE_DEAD_AFTER_MS: '6000' }],
    [
      'the lease of the integrations',
      { QUICKQUOTE_HEARTBEAT_MS: '1500', LEASE: '{"heartbeatMs":1000,"deadAfterMs":2000}' },
    ],
  ])('names the variable of an option that conflicts with %s', async (_, conflicting) => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none', ...conflicting }
    const { code, output } = await ended(['cli-host.js'], env)

    expect(code).toBe(2)
    expect(output).toContain('QUICKQUOTE_DEAD_AFTER_MS must be at least twice QUICKQUOTE_HEARTBEAT_MS, so')
  })

  it('names the variable of a port that is in use', async () => {
    const server = createServer().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, output } = await ended(['cli-host.js'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      QUICKQUOTE_HEALTH_PORT: String(port),
    })
    server.close()

    expect(code).toBe(2)
    expect(output).toContain(`QUICKQUOTE_HEALTH_PORT ${port} is already in use`)
  })

  it("names no variables for the host's own options", async () => {
    const { code, output } = await ended(['cli-host.js'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      LEASE: '{"heartbeatMs":1000,"deadAfterMs":1000}',
    })
    expect(code).toBe(2)
    expect(output).toContain('createIntegrations: lease.deadAfterMs must be at least twice heartbeatMs')
  })

  it.each([
    [[], 'No module given.'],
    [['--sesame'], "Unknown option '--sesame'"],
    [['cli-host.js', 'another.js'], 'Only one module is allowed'],
    [['absent.js'], 'Module not found'],
    [['../../dist/lib/alarm.js'], 'must export `integrations`'],
    [['cli-host-app.js'], 'exports nothing, so it was not run'],
    [['doctor', 'cli-host-app.js'], 'exports nothing, so it was not run'],
  ])('refuses the arguments %j', async (args, problem) => {
    const { code, output } = await ended(args)
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(problem) })
    expect(output).not.toContain('The app is listening.')
  })

  it("reports why the host's module failed, without secrets", async () => {
    const { code, output } = await ended(['cli-host-broken.js'])
    expect(code).toBe(1)
    expect(output).toContain('the key pk_*** is wrong')
  })

  it('exits if the database cannot be reached, without printing its password', async () => {
    const { code, output } = await ended(['cli-host.js'], {
      DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/none',
      QUICKQUOTE_HEALTH_PORT: '0',
    })
    expect(code).toBe(1)
    expect(output).toContain('ECONNREFUSED')
    expect(output).not.toContain('sesame')
  })
})

describe('a worker process', () => {
  async function open(respond?: ReceiverOptions['respond']): Promise<void> {
    receiver = await openReceiver(respond)
    host = await openHost()
    await host.createEndpoint(receiver.url)
  }

  async function start(env: Record<string, string> = {}, module = 'cli-host.js'): Promise<WorkerProcess> {
    const program = runCli([module], {
      DATABASE_URL: host.databaseUrl,
      QUICKQUOTE_CA_FILE: caFile,
      QUICKQUOTE_HEALTH_PORT: '0',
      ...env,
    })
    await expect.poll(() => logged(program, 'the delivery worker is running'), PATIENT).toBeDefined()
    return program
  }

  function logged(program: WorkerProcess, message: string): Record<string, unknown> | undefined {
    const lines = program.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    return lines.find((line) => line.message === message)
  }

  const leases = () => host.sql`select 1 from quickquote.deliveries where leased_by is not null`
  const workers = () => host.sql`select 1 from quickquote.workers`

  it('delivers, starts pipelines and is ready; on SIGTERM it finishes everything in flight, and leaves nothing leased', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      await answered
      return { status: 204 }
    })
    const program = await start()
    const health = `http://127.0.0.1:${logged(program, 'the health checks are available')?.['port']}/health`
    await host.finishStep()
    await receiver.next()
    await program.printed('pipeline started')
    expect((await fetch(`${health}/ready`)).status).toBe(200)

    program.signal('SIGTERM')
    await expect.poll(async () => (await fetch(`${health}/ready`)).status, PATIENT).toBe(503)
    expect((await fetch(`${health}/live`)).status).toBe(200)
    answer()

    expect(await program.exited).toBe(0)
    expect(await host.attempts()).toMatchObject([{ status: 'succeeded' }])
    expect(program.lines).toContain('the host has closed')
    expect(await workers()).toHaveLength(0)
  })

  it('aborts and records unfinished attempts at the deadline', async () => {
    await open(() => ({ hang: true }))
    const program = await start({ QUICKQUOTE_STOP_DEADLINE_MS: '50' })
    await host.finishStep()
    await receiver.next()

    program.signal('SIGINT')

    expect(await program.exited).toBe(0)
    expect(await host.attempts()).toMatchObject([{ status: 'failed', http_status: null }])
    expect(await leases()).toHaveLength(0)
  })

  it('exits immediately on the second signal; others recover its leases', async () => {
    await open(() => ({ hang: true }))
    const program = await start()
    await host.finishStep()
    await receiver.next()

    program.signal('SIGTERM')
    await expect.poll(() => logged(program, 'the delivery worker is stopping'), PATIENT).toBeDefined()
    program.signal('SIGTERM')

    expect(await program.exited).toBe(128 + 15)
    expect(await leases()).toHaveLength(1)
  })

  it('delivers from several databases; one that is away holds up no other, and is served once it is back', async () => {
    await open()
    const away = await openHost()
    await away.createEndpoint(receiver.url)
    const port = await freePort()
    const awayUrl = Object.assign(new URL(away.databaseUrl), { port }).href
    const program = await start({ DATABASE_URL: `${awayUrl} ${host.databaseUrl}` })
    const health = `http://127.0.0.1:${logged(program, 'the health checks are available')?.['port']}/health/ready`
    await host.finishStep()
    await receiver.next()
    const ready = await fetch(health)
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { ready: true, databases: [{ state: expect.stringMatching(/^(starting|stopped)$/) }, { ready: true }] },
    ])

    const proxy = await startDatabaseProxy(away.databaseUrl, (one, other) => one.pipe(other).pipe(one), port)
    await away.finishStep()
    await receiver.next()
    await expect.poll(() => away.attempts(), PATIENT).toMatchObject([{ status: 'succeeded' }])
    program.signal('SIGTERM')

    expect(await program.exited).toBe(0)
    for (const { sql } of [host, away]) expect(await sql`select from quickquote.workers`).toEqual([])
    await proxy.stop()
  })

  it('accepts a function as its module, and runs without pipeline starts and health', async () => {
    await open()
    const program = await start(
      { QUICKQUOTE_PIPELINE_STARTS: 'off', QUICKQUOTE_HEALTH_PORT: 'off' },
      'cli-host-function.js',
    )
    await host.finishStep()
    await receiver.next()
    await expect.poll(() => host.pending(), PATIENT).toEqual([])
    program.signal('SIGTERM')

    expect(await program.exited).toBe(0)
    expect(program.lines).not.toContain('pipeline started')
    expect(logged(program, 'the health checks are available')).toBeUndefined()
    expect(await host.sql`select attempt, leased_by from quickquote.pipeline_starts`).toEqual([
      { attempt: 0, leased_by: null },
    ])
  })
})
