import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Quotation } from '@quickquote/core'
import { emptyDatabase, itWith } from '@quickquote/dev-servers/vitest'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EXPECTED_EVENTS } from '../../examples/demo/src/headless-quote.ts'
import { endExamples, runExample, type TemporaryFolder, temporaryFolder } from './example-process.ts'
import { read } from './partner-client.ts'
import { secretsIn } from './secrets.ts'

const TEST_TIMEOUT_MS = 300_000

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await temporaryFolder()
  return folder.remove
})

afterEach(endExamples)

function demo(args: readonly string[], env: Record<string, string> = {}) {
  return runExample('demo', { DATA_FOLDER: folder.path, PIPELINE_STEP_MS: '50', ...env }, args)
}

function verifiedEvents(output: string, source: 'api_key' | 'ui'): string[] {
  const lines = output.matchAll(/webhook +(quotation\.\S+) +signature verified, (\w+)/g)
  return [...lines].filter(([, , of]) => of === source).map(([, type = '']) => type)
}

function apiKeyIn(output: string): string {
  return /API key +(pk_\w+)/.exec(output)?.[1] ?? ''
}

/** The only secret that the demo prints is the key for its `curl` lines; its log contains none. */
async function expectNoOtherSecret(output: string, databaseUrl: string): Promise<void> {
  expect(new Set(secretsIn(output, [databaseUrl]))).toEqual(new Set([apiKeyIn(output)]))
  expect(secretsIn(await readFile(join(folder.path, 'demo.log'), 'utf8'), [databaseUrl])).toEqual([])
}

async function embeddedDatabaseUrl(): Promise<string> {
  const password = await readFile(join(folder.path, 'postgres/password'), 'utf8')
  return `postgres://postgres:${password.trim()}@localhost/postgres`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the demo, on its embedded PostgreSQL', () => {
  let firstQuotation = ''

  it(
    '--once exits 0 after the six webhooks of each quote arrived and verified, and the document was downloaded',
    async () => {
      const once = demo(['--once'])
      expect(await once.exited).toBe(0)

      const output = once.output()
      firstQuotation = /202 Accepted +quotation ([0-9a-f-]{36})/.exec(output)?.[1] ?? ''
      expect(verifiedEvents(output, 'api_key').sort()).toEqual([...EXPECTED_EVENTS].sort())
      expect(verifiedEvents(output, 'ui').sort()).toEqual([...EXPECTED_EVENTS].sort())
      expect(output).toMatch(/document +PDF, [1-9]\d* pages, [\d,]{5,} bytes/)
      expect(output).not.toContain('\u001b')
      await expectNoOtherSecret(output, await embeddedDatabaseUrl())
    },
    TEST_TIMEOUT_MS,
  )

  it(
    'runs until Ctrl-C, which stops everything; a second start finds the data of the first',
    async () => {
      const second = demo([])
      await second.printed(/Ctrl-C stops the demo/)
      expect(second.output()).toMatch(/Earlier quotes +2\n/)
      expect(second.output()).toMatch(/Endpoint +kept from the last start, with a new secret/)
      const [, url = ''] = /Host app +(http:\S+)/.exec(second.output()) ?? []
      expect(
        await read<Quotation>(url, apiKeyIn(second.output()), `/quotations/${firstQuotation}`),
      ).toMatchObject({ status: 'completed' })

      const rival = demo([])
      expect(await rival.exited).toBe(1)
      expect(rival.output()).toContain(`in use by process ${second.pid}`)

      const pidFile = join(folder.path, 'postgres/cluster/postmaster.pid')
      const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
      expect(isAlive(postmaster)).toBe(true)
      expect(await second.end('SIGINT', { group: true })).toBe(0)
      expect(second.output()).toContain('Stopped.')
      expect(isAlive(postmaster)).toBe(false)
      expect(existsSync(pidFile)).toBe(false)
      await expectNoOtherSecret(second.output(), await embeddedDatabaseUrl())
    },
    TEST_TIMEOUT_MS,
  )

  itWith('curl')(
    'prints curl lines that can be pasted',
    async () => {
      const running = demo([])
      await running.printed(/Ctrl-C stops the demo/)
      const [, lines = ''] =
        /Continue in another terminal\n\n([\s\S]*)\n# The documentation/.exec(running.output()) ?? []
      const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', lines], { cwd: folder.path })

      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { status: 'completed', source: 'api_key' },
        { progress: { completed: 5, total: 5 } },
        { document_id: expect.any(String) },
        { status: 'queued' },
        { status: 'queued' },
        { status: 'queued' },
        { key: expect.stringMatching(/^pk_/) },
        { secret: expect.stringMatching(/^whsec_/) },
      ])
      expect((await readFile(join(folder.path, 'proposal.pdf'))).subarray(0, 5).toString()).toBe('%PDF-')
      await running.printed(/quotation\.failed +signature verified, api_key, WORK_BREAKDOWN_FAILED/)
      expect(await running.end('SIGTERM')).toBe(0)
    },
    TEST_TIMEOUT_MS,
  )
})

describe('the demo, on the server of DATABASE_URL', () => {
  it(
    'uses it, starts no other, and does not print its password',
    async () => {
      const database = await emptyDatabase()
      onTestFinished(database.drop)
      const own = await temporaryFolder()
      onTestFinished(own.remove)
      const once = demo(['--once'], { DATABASE_URL: database.url, DATA_FOLDER: own.path })
      expect(await once.exited).toBe(0)
      expect(existsSync(join(own.path, 'postgres'))).toBe(false)
      expect(new Set(secretsIn(once.output(), [database.url]))).toEqual(new Set([apiKeyIn(once.output())]))
    },
    TEST_TIMEOUT_MS,
  )

  it.each([
    ['is not there', 'postgres://me:a-password@127.0.0.1:1/none', 'ECONNREFUSED'],
    ['is not a URL', 'postgres://me:a-password@[', 'connectionString must have the form'],
  ])('exits 1 with the reason when it %s', async (_, databaseUrl, reason) => {
    const own = await temporaryFolder()
    onTestFinished(own.remove)
    const once = demo(['--once'], { DATABASE_URL: databaseUrl, DATA_FOLDER: own.path })
    expect(await once.exited).toBe(1)
    expect(once.output()).toContain(reason)
    expect(once.output()).not.toContain('a-password')
  })
})

afterAll(endExamples)
