import { randomUUID } from 'node:crypto'
import type { Integrations } from '@quickquote/core'
import { adminOf, integrationsOn, keepLogs } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLastUsesOfKeys } from '../src/services/last-uses-of-keys.ts'
import { createRequestsOfKeys } from '../src/services/requests-of-keys.ts'

const { logger, lines } = keepLogs()
const database = useDatabase()
let integrations: Integrations
let keys: readonly { readonly id: string; readonly value: string }[]
/** The writes, each with the indexes of its keys. */
let begun: number[][]
let finished: number
let refusals: number

beforeEach(async () => {
  begun = []
  finished = 0
  refusals = 0
  lines.splice(0)
  integrations = open()
  const admin = adminOf(randomUUID())
  const created = [0, 1, 2, 3].map(() =>
    integrations.apiKeys.create(admin, {
      name: 'CRM',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    }),
  )
  keys = (await Promise.all(created)).map(({ id, key }) => ({ id, value: key.reveal() }))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(async () => {
  vi.useRealTimers()
  await integrations.close()
})

/** A host whose writes of uses are recorded, and refused on request. */
function open(): Integrations {
  // One connection, made before the timers are fake: a new one waits for a timer.
  const storage = drizzleStorage({ connectionString: database.url, maxConnections: 1 })
  const recordUses: typeof storage.apiKeys.recordUses = async (uses) => {
    if (refusals > 0) {
      refusals -= 1
      throw new Error('The database is unreachable.')
    }
    begun.push([...uses.keys()].map((used) => keys.findIndex(({ id }) => id === used)))
    await storage.apiKeys.recordUses(uses)
    finished += 1
  }
  return integrationsOn({ ...storage, apiKeys: { ...storage.apiKeys, recordUses } }, { logger })
}

const use = (index: number) => integrations.apiKeys.authenticate(keys[index]?.value ?? '')
/** Not `expect.poll`, which advances the timers. */
async function isWritten(...batches: number[][]): Promise<void> {
  while (finished < batches.length) await new Promise(setImmediate)
  expect(begun).toEqual(batches)
}

describe('uses of API keys', () => {
  it('are written at once after a pause, and in batches if frequent', async () => {
    await use(0)
    await isWritten([0])

    await use(1)
    await use(2)
    await vi.advanceTimersByTimeAsync(499)
    expect(begun).toEqual([[0]])
    await vi.advanceTimersByTimeAsync(1)
    await isWritten([0], [1, 2])

    await vi.advanceTimersByTimeAsync(60_000)
    await use(3)
    await isWritten([0], [1, 2], [3])
  })

  it('are retried with the next batch after a failed write, with one log line', async () => {
    refusals = 2

    await use(0)
    await use(1)
    await vi.advanceTimersByTimeAsync(1000)
    await vi.advanceTimersByTimeAsync(2000)

    await isWritten([0, 1])
    expect(lines).toMatchObject([{ message: 'last_used_at of API keys could not be written' }])
  })

  it('rest after a write, also one that a flush waited to begin', async () => {
    const writes: (() => void)[] = []
    const recordUses = () => new Promise<void>((resolve) => writes.push(resolve))
    const uses = createLastUsesOfKeys({ recordUses }, logger)
    const begun = async (count: number) => {
      while (writes.length < count) await new Promise(setImmediate)
    }
    uses.note('one', new Date())
    await begun(1)
    const flushed = uses.flush()
    uses.note('two', new Date())
    writes[0]?.()
    await begun(2)
    await vi.advanceTimersByTimeAsync(300)
    writes[1]?.()
    await flushed
    uses.note('three', new Date())
    await vi.advanceTimersByTimeAsync(499)
    expect(writes).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(writes).toHaveLength(3)
    writes[2]?.()
    await uses.close()
  })

  it('are all written on close', async () => {
    refusals = 1
    await use(0)
    await use(1)

    await integrations.close()

    expect(begun).toEqual([[0, 1]])
    expect(finished).toBe(1)
  })
})

describe('requests of API keys', () => {
  it('that could not be written are joined with the next ones, with one log line', async () => {
    const written: unknown[] = []
    const requests = createRequestsOfKeys(
      {
        async recordRequests(uses) {
          refusals -= 1
          if (refusals >= 0) throw new Error('The database is unreachable.')
          written.push(...uses)
        },
      },
      logger,
    )
    refusals = 2
    const request = { method: 'GET', route: '/', address: null, request_id: 'r' }
    const today = 20_000 * 86_400_000
    requests.note('key', { ...request, status: 200, at: today })
    await requests.flush()
    requests.note('key', { ...request, status: 404, at: today + 1 })
    await requests.flush()
    await requests.close()
    expect(written).toEqual([
      {
        api_key_id: 'key',
        days: [{ day: 20_000, counts: { '2xx': 1, '3xx': 0, '4xx': 1, '5xx': 0 } }],
        requests: [
          { ...request, status: 200, at: today },
          { ...request, status: 404, at: today + 1 },
        ],
      },
    ])
    expect(lines).toMatchObject([{ message: 'the requests of API keys could not be written' }])
  })
})
